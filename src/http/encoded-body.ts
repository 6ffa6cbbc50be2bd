import type { FastifyReply } from 'fastify';
import createXXHash, { type XXHashAPI } from 'xxhash-wasm';

/** A body as it is sent and its ETag, without the mark of a weak one. */
export interface EncodedBody {
  readonly payload: string | Buffer;
  readonly etag: string;
}

/** Node writes a short text and the head of its response at once; of a long one it encodes the head too, which is slower. */
const LONG_TEXT = 8192;

/** Encodings of cached bodies, as long as these live; found by the body and by its bytes. */
const byBody = new WeakMap<object, EncodedBody>();
const byBytes = new WeakMap<Buffer, EncodedBody>();

/** A tag has to differ for different bodies of one URL; nothing else relies on it. SHA-1 takes five times as long. */
let xxHash: XXHashAPI | undefined;

/** Loads the hash of the ETags; has to be done before {@link encodingOf}. */
export async function loadHash(): Promise<void> {
  xxHash ??= await createXXHash();
}

/** Encodes a cached body once for all responses that send it. */
export function encodeOnce(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer((body: object) => {
    let encoded = byBody.get(body);
    if (encoded === undefined) {
      const bytes = Buffer.from(JSON.stringify(body));
      encoded = { payload: bytes, etag: etagOf(bytes) };
      byBody.set(body, encoded);
      byBytes.set(bytes, encoded);
    }
    return encoded.payload as string;
  });
}

/** The encoding of a payload: a text, or the bytes of {@link encodeOnce}. */
export function encodingOf(payload: string | Buffer): EncodedBody {
  if (typeof payload !== 'string') return byBytes.get(payload) ?? { payload, etag: etagOf(payload) };
  const encoded = payload.length < LONG_TEXT ? payload : Buffer.from(payload);
  return { payload: encoded, etag: etagOf(encoded) };
}

function etagOf(payload: string | Buffer): string {
  if (xxHash === undefined) throw new Error('The hash is not loaded');
  const hash = typeof payload === 'string' ? xxHash.h64(payload) : xxHash.h64Raw(payload);
  return `"${hash.toString(16).padStart(16, '0')}"`;
}
