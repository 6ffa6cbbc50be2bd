import { compile } from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { withoutPort } from '../../common/text';
import type { Settings } from '../../config/settings';
import { InvalidParametersException, ProblemException, PROBLEMS } from '../problems/problem-definitions';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const VALID_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The request id of the client if valid, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  // Node makes a UUID by `+`, and V8 serialises such a text slowly, and with it the whole line of the log: on Node 26,
  // a text that is joined anew saves 2 % of a page of ten.
  return typeof id === 'string' && VALID_REQUEST_ID.test(id) ? id : randomUUID().split('-').join('-');
}

/**
 * Proxies that a request may have passed; beyond these, the next address in `X-Forwarded-For` is that of its client.
 */
const MAX_PROXIES = 16;

/**
 * Whether an address of `X-Forwarded-For` is that of a trusted proxy, for Fastify, which asks from the nearest one on.
 * Some proxies add a port, which could not be compared (D46). The number of addresses is bounded, because a request has
 * room for 1,900 of them, and comparing these takes 6 ms.
 */
export function trustedProxies(networks: string[]): (address: string, hop: number) => boolean {
  const isTrusted = compile(networks);
  return (address, hop) => hop < MAX_PROXIES && isTrusted(withoutPort(address), hop);
}

/**
 * One preference of a `Prefer` list. A comma between quotes belongs to the preference, and a quoted text that is not
 * closed extends to the end of the header. No part of this expression can fail where it has begun to match, so that it
 * never backtracks: whatever a client sends, it takes linear time.
 */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.?)*"?)+/g;
/** Blanks are spaces and tabs only (RFC 9110, optional white space): `\s` would accept more than balancers do. */
const HANDLING = /^[ \t]*handling[ \t]*(?:[=;]|$)/i;
const STRICT = /^[ \t]*handling[ \t]*=[ \t]*(?:strict|"strict")[ \t]*(?:;|$)/i;

/** To read 16 KiB of preferences would take longer than the rest of a request. */
const MAX_PREFER_LENGTH = 1024;

/**
 * Whether a `Prefer` header (RFC 7240) has `handling=strict`. Where `handling` is repeated, the first one counts. A
 * header of more than 1,024 characters is ignored.
 */
export function prefersStrictHandling(header: string): boolean {
  if (header.length > MAX_PREFER_LENGTH) return false;
  const handling = header.match(PREFERENCE)?.find((preference) => HANDLING.test(preference));
  return handling !== undefined && STRICT.test(handling);
}

/**
 * The headers of a client and the claims of its token that are forwarded to the external system.
 *
 * @throws {ProblemException} 403 for a claim that is missing or cannot be the value of a header. A claim with blanks at
 * its ends cannot: receivers trim them, so that `" t1"` would arrive as `t1`, the value of another tenant.
 * @throws {InvalidParametersException} for a header that cannot be forwarded unchanged
 */
export function forwardedHeaders(
  { headers, user }: FastifyRequest,
  { forwardHeaders, forwardClaims }: Settings['external'],
): Readonly<Record<string, string>> {
  const forwarded: Record<string, string> = {};
  for (const { claim, header } of forwardClaims) {
    const value = user !== undefined && Object.hasOwn(user.claims, claim) ? user.claims[claim] : undefined;
    const text = Number.isSafeInteger(value) ? String(value) : value;
    const isHeader = typeof text === 'string' && text !== '' && text === text.trim() && PRINTABLE_ASCII.test(text);
    if (!isHeader) throw new ProblemException(PROBLEMS.missingClaim);
    forwarded[header] = text;
  }
  for (const parameter of forwardHeaders) {
    const key = parameter.toLowerCase();
    const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string' || !PRINTABLE_ASCII.test(value)) {
      const message = 'must consist of visible ASCII characters and spaces';
      throw new InvalidParametersException([{ parameter, message }]);
    }
    forwarded[parameter] = value;
  }
  return forwarded;
}
