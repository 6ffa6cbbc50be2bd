import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The request id of the client if valid, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
}

/**
 * One preference of a list. A comma between quotes belongs to it, and a quote that is not closed reaches to the end.
 * Every part of this expression either matches or is left out, so it never goes back and takes linear time.
 */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.?)*"?)+/g;
/** Blanks are spaces and tabs only (RFC 9110, optional white space): `\s` would accept more than balancers do. */
const HANDLING = /^[ \t]*handling[ \t]*(?:[=;]|$)/i;
const STRICT = /^[ \t]*handling[ \t]*=[ \t]*(?:strict|"strict")[ \t]*(?:;|$)/i;

/** Whether a `Prefer` header (RFC 7240) has `handling=strict`; the first of repeated preferences counts. */
export function prefersStrictHandling(header: string): boolean {
  const handling = header.match(PREFERENCE)?.find((preference) => HANDLING.test(preference));
  return handling !== undefined && STRICT.test(handling);
}
