import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Finds a key among those whose SHA-256 digests are given, in a time that does not depend on which it is like.
 *
 * @param key value of a header, one character a byte
 * @returns its digest in hexadecimal, `undefined` where it is none of them
 */
export function acceptedDigest(key: string, digests: readonly Buffer[]): string | undefined {
  const digest = hash('sha256', Buffer.from(key, 'latin1'), 'buffer');
  let matches = 0;
  for (const accepted of digests) matches |= Number(timingSafeEqual(digest, accepted));
  return matches === 1 ? digest.toString('hex') : undefined;
}
