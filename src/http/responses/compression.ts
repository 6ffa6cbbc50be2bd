import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

/** Only bodies over 1 KiB are compressed (D79); smaller ones fit one packet as they are. */
const LEAST_BYTES = 1025;
/**
 * Larger bodies are compressed in other threads, to keep the event loop free; smaller ones at once, which is faster.
 */
const COMPRESSED_AT_ONCE_BYTES = 65_536;

/**
 * Compresses bodies over 1 KiB, except the files of Swagger pages: `markPages` switches compression off for their
 * routes.
 */
export async function addCompression(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [route.onSend ?? [], omitLength].flat();
  });
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: LEAST_BYTES,
    syncThreshold: COMPRESSED_AT_ONCE_BYTES,
    globalDecompression: false,
  });
}

/**
 * A response to HEAD is not compressed, so the length that the compressed response to GET would have is not known:
 * `Content-Length` is left out instead of naming another length (RFC 9110, 8.6).
 */
const omitLength: onSendHookHandler = (request, reply, payload, done) => {
  if (request.headers['accept-encoding'] !== undefined) reply.removeHeader('Content-Length');
  done(null, payload);
};
