import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The request id of the client if valid, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID();
}

/** One preference; commas in quotes belong to it. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|$))+/g;
const HANDLING = /^\s*handling\s*(?:[=;]|$)/i;
const STRICT = /^\s*handling\s*=\s*(?:strict|"strict")\s*(?:;|$)/i;

/** Whether a `Prefer` header (RFC 7240) has `handling=strict`; the first of repeated preferences counts. */
export function prefersStrictHandling(header: string): boolean {
  const handling = header.match(PREFERENCE)?.find((preference) => HANDLING.test(preference));
  return handling !== undefined && STRICT.test(handling);
}
