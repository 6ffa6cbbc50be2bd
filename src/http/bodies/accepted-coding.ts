import { negotiate } from '@fastify/accept-negotiator';

/** A content coding that the service sends. */
export type Coding = 'br' | 'gzip';

/** In the order of preference, where a client prefers none of them. */
export const CODINGS: Coding[] = ['br', 'gzip'];

/** `Accept-Encoding` of browsers has 30 characters; to read 16 KiB would take longer than the rest of a request. */
export const MAX_ACCEPT_LENGTH = 256;

/**
 * The content coding in which a client prefers a response (RFC 9110, 12.5.3); `undefined` for none, and for a header
 * that is too long. `*` means gzip, because old clients that send it may not know Brotli.
 */
export function acceptedCoding(header = ''): Coding | undefined {
  if (header.length > MAX_ACCEPT_LENGTH) return undefined;
  return negotiate(header.toLowerCase().replace(/\*|x-gzip/g, 'gzip'), CODINGS) ?? undefined;
}
