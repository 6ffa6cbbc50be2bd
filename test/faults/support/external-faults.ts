import { gzipSync } from 'node:zlib';
import * as answers from '../../support/upstream/responses';
import * as bodies from '../../support/upstream/body-faults';
import * as connections from '../../support/upstream/connection-faults';
import type { Behaviour } from '../../support/upstream/exchange';
import { anyReply } from '../../support/upstream/records';

/** Something that the external system does to every call, and what clients are then told. */
export interface ExternalFault {
  readonly name: string;
  readonly behaviour: () => Behaviour;
  readonly reason: 'upstream-timeout' | 'upstream-unreachable' | 'upstream-error' | 'bad-reply';
  /** Single lookups take it for "no match": 404. */
  readonly noMatch?: boolean;
  /** Costs the machine so much that it is tried one call at a time, with more patience. */
  readonly heavy?: boolean;
}

/** What strict clients get for each reason. */
export const STRICT_STATUS = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
} as const;

const { status, empty, html, redirect, jsonText } = answers;

function erring(name: string, code: number, retryAfter?: number | string): ExternalFault {
  return { name, behaviour: () => status(code, { retryAfter }), reason: 'upstream-error' };
}

const STATUSES: readonly ExternalFault[] = [
  ...[500, 501, 502, 503, 504, 505, 507, 599].map((code) => erring(`status ${code}`, code)),
  ...[400, 401, 403, 405, 408, 409, 410, 418, 422, 429, 451].map((code) => erring(`status ${code}`, code)),
  { ...erring('status 404', 404), noMatch: true },
];

const inTheFuture = (ms: number): string => new Date(Date.now() + ms).toUTCString();

/** Statuses that say when to come back, sensibly or not. */
const RETRY_AFTER: readonly ExternalFault[] = [
  erring('429 with Retry-After of 0 seconds', 429, 0),
  erring('429 with Retry-After of 1 second', 429, 1),
  erring('503 with Retry-After of 30 seconds', 503, 30),
  erring('503 with Retry-After of a date in a minute', 503, inTheFuture(60_000)),
  erring('503 with Retry-After of a date in the past', 503, 'Wed, 21 Oct 2015 07:28:00 GMT'),
  erring('503 with Retry-After of an obsolete date form', 503, 'Sunday, 06-Nov-94 08:49:37 GMT'),
  erring('503 with Retry-After of ten billion seconds', 503, 9_999_999_999),
  erring('503 with Retry-After of 400 digits', 503, '9'.repeat(400)),
  erring('429 with a negative Retry-After', 429, -5),
  erring('429 with a fractional Retry-After', 429, '1.5'),
  erring('429 with Retry-After of the year 9999', 429, 'Fri, 31 Dec 9999 23:59:59 GMT'),
  erring('503 with Retry-After of no sense', 503, 'soon'),
  erring('503 with an empty Retry-After', 503, ''),
  erring('503 with Retry-After: Infinity', 503, 'Infinity'),
];

const CONNECTIONS: readonly ExternalFault[] = [
  { name: 'accepts and never responds', behaviour: connections.neverResponds, reason: 'upstream-timeout' },
  { name: 'stalls after headers', behaviour: connections.stallsAfterHeaders, reason: 'upstream-timeout' },
  { name: 'stalls in the middle of the body', behaviour: connections.stallsMidBody, reason: 'upstream-timeout' },
  { name: 'drips a byte per 100 ms', behaviour: connections.drips, reason: 'upstream-timeout' },
  { name: 'drips headers without end', behaviour: connections.dripsHeaders, reason: 'upstream-timeout' },
  {
    name: 'informational responses without end',
    behaviour: connections.endlessInformational,
    reason: 'upstream-timeout',
  },
  { name: 'reset before headers', behaviour: connections.resetsBeforeHeaders, reason: 'upstream-unreachable' },
  { name: 'closed before headers', behaviour: connections.closesBeforeHeaders, reason: 'upstream-unreachable' },
  { name: 'reset after headers', behaviour: connections.resetsAfterHeaders, reason: 'bad-reply' },
  { name: 'reset in the middle of the body', behaviour: connections.resetsMidBody, reason: 'bad-reply' },
  { name: 'closed early against Content-Length', behaviour: connections.closesEarly, reason: 'bad-reply' },
  { name: 'closed in the middle of the chunks', behaviour: connections.closesMidChunks, reason: 'bad-reply' },
];

let bombBytes: Buffer | undefined;

/** A sound reply of 64 MiB, a thousandth of that on the wire; packed once, so that it costs the receiver alone. */
function bomb(): Behaviour {
  bombBytes ??= gzipSync(JSON.stringify(anyReply({ Padding: '0'.repeat(64 * 1024 * 1024) })));
  return answers.bytes(bombBytes, { ...answers.JSON_TYPE, 'Content-Encoding': 'gzip' });
}

const BODIES: readonly ExternalFault[] = [
  ...[301, 302, 303, 307, 308].map((code): ExternalFault => ({
    name: `redirect ${code}`,
    behaviour: () => redirect(code),
    reason: 'bad-reply',
  })),
  { name: 'HTML with 200', behaviour: html, reason: 'bad-reply' },
  { name: 'nothing with 200', behaviour: () => empty(200), reason: 'bad-reply' },
  { name: 'nothing with 204', behaviour: () => empty(204), reason: 'bad-reply', noMatch: true },
  { name: 'null with 200', behaviour: () => jsonText('null'), reason: 'bad-reply', noMatch: true },
  { name: 'bad JSON', behaviour: bodies.badJson, reason: 'bad-reply' },
  { name: 'truncated JSON', behaviour: bodies.truncatedJson, reason: 'bad-reply' },
  { name: 'JSON 200,000 deep', behaviour: bodies.deepJson, reason: 'bad-reply', heavy: true },
  { name: 'JSON of the wrong shape: an array', behaviour: bodies.wrongShape, reason: 'bad-reply' },
  { name: 'JSON of the wrong shape: an empty object', behaviour: () => bodies.wrongShape({}), reason: 'bad-reply' },
  { name: 'JSON of the wrong shape: a number', behaviour: () => bodies.wrongShape(7), reason: 'bad-reply' },
  {
    name: 'JSON of the wrong shape: lists that are objects, no usable Id',
    behaviour: () => bodies.wrongShape({ Id: {}, Items: { 0: {} }, TotalCount: 1, ShippingDetails: 'none' }),
    reason: 'bad-reply',
  },
  { name: 'truncated gzip', behaviour: bodies.truncatedGzip, reason: 'bad-reply' },
  { name: 'garbage called gzip', behaviour: bodies.garbageGzip, reason: 'bad-reply' },
  {
    name: 'a decompression bomb',
    behaviour: bomb,
    reason: 'bad-reply',
    heavy: true,
  },
  { name: 'an oversized body', behaviour: bodies.oversized, reason: 'bad-reply' },
  { name: 'an endless body', behaviour: connections.endlessBody, reason: 'bad-reply', heavy: true },
  { name: 'huge headers', behaviour: () => bodies.hugeHeaders(256 * 1024), reason: 'bad-reply' },
  { name: 'bytes that are no HTTP', behaviour: bodies.garbageBytes, reason: 'bad-reply' },
  { name: 'a bad chunk size', behaviour: bodies.badChunkSize, reason: 'bad-reply' },
];

/** Every fault of the external side that a sound connection can carry, each on every call. */
export const EXTERNAL_FAULTS: readonly ExternalFault[] = [...CONNECTIONS, ...STATUSES, ...RETRY_AFTER, ...BODIES];

/** An oddity of the wire that must not cost the client its response, and how complete that response is. */
export interface HarmlessOddity {
  readonly name: string;
  readonly behaviour: () => Behaviour;
  readonly completeness: 'complete' | 'partial;reason=bad-reply';
}

const PARTIAL = 'partial;reason=bad-reply';
const { closesKeepAliveAsReused, closesAfterAnswer } = connections;

export const HARMLESS: readonly HarmlessOddity[] = (
  [
    ['a kept-alive connection reset just as it is reused', closesKeepAliveAsReused, 'complete'],
    [
      'a kept-alive connection closed just as it is reused',
      () => closesKeepAliveAsReused(undefined, 'close'),
      'complete',
    ],
    ['a connection closed after each response', closesAfterAnswer, 'complete'],
    ['__proto__ and constructor keys', bodies.protoKeys, 'complete'],
    ['duplicate keys', bodies.duplicateKeys, 'complete'],
    ['integers beyond 2^53', bodies.unsafeIntegers, PARTIAL],
    ['a field 200,000 arrays deep', () => bodies.deepField(), PARTIAL],
    ['a second response, not requested', bodies.answersTwice, 'complete'],
    ['a byte order mark', bodies.byteOrderMark, 'complete'],
    ['gzip', answers.gzip, 'complete'],
    ['brotli', answers.brotli, 'complete'],
    ['chunks of a few bytes', answers.chunked, 'complete'],
    ['HTTP/1.0', answers.http10, 'complete'],
    ['an informational response first', answers.earlyHints, 'complete'],
  ] as const
).map(([name, behaviour, completeness]) => ({ name, behaviour, completeness }));
