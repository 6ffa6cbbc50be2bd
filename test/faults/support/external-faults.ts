import type { FailureReason } from '../../../src/resilience/upstream-failure';
import * as bodies from '../../../testing/upstream/body-faults';
import * as connections from '../../../testing/upstream/connection-faults';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { empty, html, jsonText, redirect, status } from '../../../testing/upstream/responses';

/** What strict clients get for each reason. */
export const STRICT_STATUS: Readonly<Record<Exclude<FailureReason, 'internal'>, number>> = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
};
export type Reason = keyof typeof STRICT_STATUS;

/** Something that the external system does to every call, and the reason that clients are told. */
export type ExternalFault = readonly [name: string, reason: Reason, behaviour: Behaviour];

/** Faults after which an attempt fails at once. */
export const FAULTS: readonly ExternalFault[] = [
  ['status 500', 'upstream-error', status(500)],
  ['status 400', 'upstream-error', status(400)],
  ['429 with Retry-After of 0 seconds', 'upstream-error', status(429, { retryAfter: 0 })],
  ['503 with Retry-After of 30 seconds', 'upstream-error', status(503, { retryAfter: 30 })],
  ['503 with Retry-After of 400 digits', 'upstream-error', status(503, { retryAfter: '9'.repeat(400) })],
  ['503 with Retry-After of no sense', 'upstream-error', status(503, { retryAfter: 'soon' })],
  ['an error page', 'upstream-error', html(502)],
  ['a redirect', 'bad-reply', redirect()],
  ['a page', 'bad-reply', html()],
  ['an empty body', 'bad-reply', empty(200)],
  ['invalid JSON', 'bad-reply', bodies.badJson()],
  ['the wrong shape', 'bad-reply', bodies.wrongShape()],
  ['lists that are objects', 'bad-reply', bodies.wrongShape({ Id: {}, Items: { 0: {} }, TotalCount: 1 })],
  ['JSON 40,000 deep', 'bad-reply', bodies.deepJson(40_000)],
  ['a million records', 'bad-reply', jsonText(`{"Items":[${'{},'.repeat(1_000_000)}{}]}`)],
  ['a truncated gzip stream', 'bad-reply', bodies.truncatedGzip()],
  ['an oversized body', 'bad-reply', bodies.oversized()],
  ['an endless body', 'bad-reply', connections.endlessBody()],
  ['huge headers', 'bad-reply', bodies.hugeHeaders()],
  ['bytes that are no HTTP', 'bad-reply', bodies.garbageBytes()],
  ['a body that is closed early', 'bad-reply', connections.closesEarly()],
  ['a reset in the middle of the body', 'bad-reply', connections.resetsMidBody()],
  ['a reset before the status line', 'upstream-unreachable', connections.resetsBeforeHeaders()],
];
