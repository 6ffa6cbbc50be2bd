import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The API key of a request; empty where it has none. */
export function apiKeyOf({ 'x-api-key': key }: IncomingHttpHeaders): string {
  return typeof key === 'string' ? key : '';
}

/**
 * Finds a key by its SHA-256 digest, in constant time.
 *
 * @param key the value of the header, one character a byte
 * @returns the digest in hexadecimal, `undefined` for an unknown key
 */
export function acceptedDigest(key: string, digests: readonly Buffer[]): string | undefined {
  const digest = hash('sha256', Buffer.from(key, 'latin1'), 'buffer');
  let matches = 0;
  for (const accepted of digests) matches |= Number(timingSafeEqual(digest, accepted));
  return matches === 1 ? digest.toString('hex') : undefined;
}
