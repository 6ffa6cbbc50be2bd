import type { FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import { encodeUtf8 } from '../common/utf8';

/** A body in UTF-8 and its ETag, without the mark of a weak one. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Encodings of cached bodies, as long as these live; found by the body and by its bytes. */
const byBody = new WeakMap<object, EncodedBody>();
const byBytes = new WeakMap<Buffer, EncodedBody>();

/** Encodes a cached body once for all responses that send it. */
export function encodeOnce(reply: FastifyReply): void {
  reply.type('application/json; charset=utf-8').serializer((body: object) => {
    let encoded = byBody.get(body);
    if (encoded === undefined) {
      encoded = encode(JSON.stringify(body));
      byBody.set(body, encoded);
      byBytes.set(encoded.bytes, encoded);
    }
    return encoded.bytes as unknown as string;
  });
}

/** The encoding of a payload: a text, or the bytes of {@link encodeOnce}. */
export function encodingOf(payload: string | Buffer): EncodedBody {
  if (typeof payload === 'string') return encode(payload);
  return byBytes.get(payload) ?? { bytes: payload, etag: etagOf(payload) };
}

function encode(text: string): EncodedBody {
  const bytes = encodeUtf8(text);
  return { bytes, etag: etagOf(bytes) };
}

function etagOf(bytes: Buffer): string {
  return `"${hash('sha1', bytes, 'base64url')}"`;
}
