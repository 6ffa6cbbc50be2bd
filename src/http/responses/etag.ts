import type { FastifyInstance, FastifyReply } from 'fastify';
import { REVALIDATE } from './response-headers';
import createXXHash, { type XXHashAPI } from 'xxhash-wasm';

const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * Adds an `ETag` over the body to each 200 that clients may store and revalidate, and responds with 304 where
 * `If-None-Match` names it (RFC 9110). The ETag is weak: it is the same for every content coding.
 */
export async function addETags(fastify: FastifyInstance): Promise<void> {
  await loadHash();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload)) || !isRevalidated(reply)) {
      done();
      return;
    }
    const { payload: encoded, etag } = encodingOf(payload);
    reply.header('ETag', `W/${etag}`);
    if (matches(request.headers['if-none-match'], etag)) {
      // A 304 repeats no `Link`: the client keeps that of its stored response.
      reply.status(304).removeHeader('Content-Type').removeHeader('Content-Length').removeHeader('Link');
      // Fastify measures the payload of HEAD: an empty one has no length.
      done(null, request.method === 'HEAD' ? '' : null);
    } else {
      done(null, encoded);
    }
  });
}

function isRevalidated(reply: FastifyReply): boolean {
  const caching = reply.getHeader('Cache-Control');
  return reply.statusCode === 200 && caching === REVALIDATE;
}

/** The weak comparison of `If-None-Match`. */
function matches(condition: string | undefined, etag: string): boolean {
  if (condition === undefined) return false;
  return condition.trim() === '*' || (condition.match(OPAQUE_TAG) as string[] | null)?.includes(etag) === true;
}

/** A body as it is sent and its ETag, without the mark of a weak one. */
export interface EncodedBody {
  readonly payload: string | Buffer;
  readonly etag: string;
}

/** Node writes a short text and the head of its response at once; of a long one it encodes the head too, which is slower. */
const LONG_TEXT = 8192;

/** ETags of bytes that are sent many times, as long as these live. */
const etags = new WeakMap<Buffer, string>();

/** A tag has to differ for different bodies of one URL; nothing else relies on it. SHA-1 takes five times as long. */
let xxHash: XXHashAPI | undefined;

/** Loads the hash of the ETags; has to be done before any other function here is called. */
async function loadHash(): Promise<void> {
  xxHash ??= await createXXHash();
}

/** Keeps the ETag of bytes that are sent many times. @returns the bytes */
export function hashOnce(bytes: Buffer): Buffer {
  etags.set(bytes, etagOf(bytes));
  return bytes;
}

/** The encoding of a payload: a text, or bytes. */
export function encodingOf(payload: string | Buffer): EncodedBody {
  const encoded = typeof payload === 'string' && payload.length >= LONG_TEXT ? Buffer.from(payload) : payload;
  return { payload: encoded, etag: (typeof encoded === 'string' ? undefined : etags.get(encoded)) ?? etagOf(encoded) };
}

function etagOf(payload: string | Buffer): string {
  if (xxHash === undefined) throw new Error('The hash is not loaded');
  const hash = typeof payload === 'string' ? xxHash.h64(payload) : xxHash.h64Raw(payload);
  return `"${hash.toString(16).padStart(16, '0')}"`;
}
