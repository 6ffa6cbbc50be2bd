import type { FastifyReply } from 'fastify';
import createXXHash, { type XXHashAPI } from 'xxhash-wasm';
import { REVALIDATE } from '../default-headers';

/** An ETag needs no cryptographic hash, and SHA-1 takes ten times as long as xxHash: 6 µs for a page of ten. */
let xxHash: XXHashAPI;
/** Is awaited before the service listens: from then on, {@link etagOf} has its hash function. */
export const whenETagsWork = createXXHash().then((loaded) => {
  xxHash = loaded;
});

/** The ETag of a body, with its quotes. */
export function etagOf(body: string | Buffer): string {
  const hash = typeof body === 'string' ? xxHash.h64(body) : xxHash.h64Raw(body);
  return `"${hash.toString(16).padStart(16, '0')}"`;
}

const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Adds a weak `ETag` to a 200 that clients may store ({@link REVALIDATE}), and makes it a 304 where `If-None-Match` has
 * that (RFC 9110).
 *
 * @returns the payload that is sent
 */
export function revalidated(reply: FastifyReply, payload: unknown): unknown {
  const { headers, method, record } = reply.request;
  if (reply.statusCode !== 200 || reply.getHeader('Cache-Control') !== REVALIDATE) return payload;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  // That of an application stays (D83).
  if (reply.hasHeader('ETag')) return payload;
  // The ETag of a ready body is that of the bytes that are sent, unless a hook has replaced them (D74).
  const etag = record.ready?.json === payload ? record.ready.etag : etagOf(payload);
  reply.header('ETag', `W/${etag}`);
  if (!matches(headers['if-none-match'], etag)) return payload;
  // A 304 has no body, so it has no type; the client keeps the `Link` of the response that it has stored.
  reply.status(304).removeHeader('Content-Type').removeHeader('Link');
  // For HEAD, Fastify's own hook runs after this one: it drops the body, but reads its length before and throws on
  // `null`.
  return method === 'HEAD' ? payload : null;
}

function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || (condition.match(OPAQUE_TAG) as string[] | null)?.includes(etag) === true;
}
