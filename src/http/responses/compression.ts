import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { DOCS_PATH } from '../paths';

/** Larger bodies are compressed outside the event loop. */
const COMPRESSED_AT_ONCE_BYTES = 65_536;

/** Compresses bodies over 1 KiB, but no files of the Swagger page. */
export async function addCompression(fastify: FastifyInstance): Promise<void> {
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${DOCS_PATH}/`)) route.compress = false;
  });
  await fastify.register(compress, {
    encodings: ['br', 'gzip'],
    syncThreshold: COMPRESSED_AT_ONCE_BYTES,
    globalDecompression: false,
  });
}
