import type { FastifyReply } from 'fastify';
import createXXHash, { type XXHashAPI } from 'xxhash-wasm';

/** A body as it is sent and its ETag, without the mark of a weak one. */
export interface EncodedBody {
  readonly payload: string | Buffer;
  readonly etag: string;
}

/** Node writes a short text and the head of its response at once; of a long one it encodes the head too, which is slower. */
const LONG_TEXT = 8192;

/** Encodings of cached bodies, and ETags of bytes that are sent many times; both as long as their keys live. */
const byBody = new WeakMap<object, Buffer>();
const etags = new WeakMap<Buffer, string>();

/** A tag has to differ for different bodies of one URL; nothing else relies on it. SHA-1 takes five times as long. */
let xxHash: XXHashAPI | undefined;

/** Loads the hash of the ETags; has to be done before any other function here is called. */
export async function loadHash(): Promise<void> {
  xxHash ??= await createXXHash();
}

/** Encodes a cached body once for all responses that send it. */
export function encodeOnce(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer((body: object) => {
    let bytes = byBody.get(body);
    if (bytes === undefined) {
      bytes = hashOnce(Buffer.from(JSON.stringify(body)));
      byBody.set(body, bytes);
    }
    return bytes as unknown as string;
  });
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
