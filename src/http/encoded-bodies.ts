import type { FastifyReply } from 'fastify';
import { hash } from 'node:crypto';
import { encodeUtf8 } from './utf8';

/** A body as it is sent, and its entity tag, without the mark of a weak one. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly tag: string;
}

/** Encodings of bodies that are given more than once, as long as these live; found by the bytes as well. */
const byBody = new WeakMap<object, EncodedBody>();
const byBytes = new WeakMap<Buffer, EncodedBody>();

/** Has a body that was kept encoded once for all who get it, whatever else their answers say. */
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

/** The encoding of what is about to be sent: a text, or the bytes that {@link encodeOnce} made. */
export function encodingOf(payload: string | Buffer): EncodedBody {
  if (typeof payload === 'string') return encode(payload);
  return byBytes.get(payload) ?? { bytes: payload, tag: tagOf(payload) };
}

function encode(text: string): EncodedBody {
  const bytes = encodeUtf8(text);
  return { bytes, tag: tagOf(bytes) };
}

function tagOf(bytes: Buffer): string {
  return `"${hash('sha1', bytes, 'base64url')}"`;
}
