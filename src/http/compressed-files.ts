import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isDocsRequest } from './paths';

/** Compresses the 1.5 MB of Swagger UI in 100 ms, outside the event loop; the highest quality takes three seconds. */
const BROTLI_QUALITY = 9;

const COMPRESSORS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/**
 * Compresses each file of the Swagger page once for each coding and keeps the result: the files never change while the
 * process runs. Requests for ranges and for `identity` get the file itself. Compression of other bodies leaves it alone.
 */
export function compressFilesOnce(fastify: FastifyInstance): void {
  const kept = new Map<string, Promise<Buffer>>();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // HEAD gets an empty stream, which must not be kept.
    const isFile = request.method === 'GET' && isDocsRequest(request) && payload instanceof Readable;
    const accepted = request.headers['accept-encoding'] ?? 'identity';
    const coding = isFile && isCompressible(reply) ? negotiate(accepted, ['br', 'gzip', 'identity']) : null;
    const compress = COMPRESSORS[coding ?? ''];
    if (!isFile || coding === null || compress === undefined) {
      done(null, payload);
      return;
    }
    // The files are in one folder; other spellings of a path share the entry of its name.
    const key = [coding, posix.basename(request.url.split('?')[0] ?? ''), String(reply.getHeader('ETag'))].join(' ');
    const known = kept.get(key);
    if (known !== undefined) payload.destroy();
    const compressed = known ?? buffer(payload).then(compress);
    kept.set(key, compressed);
    compressed.then(
      (bytes) => {
        reply.header('Content-Encoding', coding).header('Content-Length', bytes.length);
        done(null, bytes);
      },
      (error: unknown) => {
        kept.delete(key);
        done(error as Error);
      },
    );
  });
}

function isCompressible(reply: FastifyReply): boolean {
  const type = String(reply.getHeader('Content-Type'));
  return reply.statusCode === 200 && /^text\/|javascript|json/.test(type);
}
