import { negotiate } from '@fastify/accept-negotiator';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { BROTLI_OPTIONS, type Coding, compressOnce } from '../bodies/compressor';
import { bytesOfObjects, heldOutsideHeap, memoryOfBody } from '../bodies/held-memory';
import { purposeOf } from '../paths';
import type { RequestMetrics } from '../requests/request.metrics';
import type { BoundedServer } from '../server/bounded-server';
import { shed } from '../server/load-shedding';

/** Only bodies over 1 KiB are compressed (D79); smaller ones fit one packet as they are. */
const LEAST_BYTES = 1025;
/**
 * Larger bodies are compressed in other threads, to keep the event loop free; smaller ones at once, which is faster.
 */
const COMPRESSED_AT_ONCE_BYTES = 65_536;
/** In the order of preference, where a client prefers none of them. */
const CODINGS: Coding[] = ['br', 'gzip'];
/** `Accept-Encoding` of browsers has 30 characters; to read 16 KiB would take longer than the rest of a request. */
const MAX_ACCEPT_LENGTH = 256;
type Body = string | Buffer;
const COMPRESSIBLE = /^text\/(?!event-stream)|[/+](?:json|xml)(?:;|$)/;

/**
 * Compresses bodies over 1 KiB. A body that many responses share is compressed here, once for all of them, and so is a
 * large one, because the number of its compressors is bounded (D59). Small ones, and streams that routes of an
 * application send, are left to the plugin; `markPages` switches it off for the files of Swagger pages, which are
 * compressed once.
 */
export async function addCompression(fastify: FastifyInstance, metrics: RequestMetrics): Promise<void> {
  fastify.addHook('onRoute', (route) => {
    if (route.method === 'HEAD') route.onSend = [route.onSend ?? [], omitLength].flat();
  });
  const server = fastify.server as BoundedServer;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const coding = acceptedCoding(request.headers['accept-encoding']);
    // The plugin, which runs later, gets the coding that is chosen here: it would read a header of any length, and take
    // `*` for gzip also where the header refuses gzip by its name.
    request.headers['accept-encoding'] = coding;
    request.objectBytes = bytesOfObjects(payload);
    const body = heldOutsideHeap(payload);
    if (coding === undefined || !isCompressedHere(request, body) || !mayCompress(request, reply)) {
      done(null, body);
      return;
    }
    // A body that waits for its compressor counts as held. Where there is no room for it, the request is shed: no
    // connection is closed for it, because its client may be one that reads (D59).
    const endOfWait = server.prepare(memoryOfBody(body), request.objectBytes);
    if (endOfWait === undefined) {
      done(shed(reply, metrics, 'unsent-bytes'));
      return;
    }
    const { sharedBody } = request;
    const encoding = sharedBody?.json === body ? sharedBody.encoded(coding) : compressOnce(coding, Buffer.from(body));
    encoding.finally(endOfWait).then((encoded) => {
      reply.header('Content-Encoding', coding).removeHeader('Content-Length');
      done(null, encoded);
    }, done);
  });
  await fastify.register(compress, {
    encodings: CODINGS,
    threshold: LEAST_BYTES,
    syncThreshold: COMPRESSED_AT_ONCE_BYTES,
    brotliOptions: BROTLI_OPTIONS,
    globalDecompression: false,
  });
}

/**
 * The content coding in which a client prefers a response (RFC 9110, 12.5.3); `undefined` for none. `*` means gzip,
 * because old clients that send it may not know Brotli, and nothing where the header names gzip itself.
 */
export function acceptedCoding(header = ''): Coding | undefined {
  if (header.length > MAX_ACCEPT_LENGTH) return undefined;
  const codings = header.toLowerCase().replaceAll('x-gzip', 'gzip');
  const named = codings.includes('gzip') ? codings.replace(/\*[^,]*/, '') : codings.replace('*', 'gzip');
  return negotiate(named, CODINGS) ?? undefined;
}

/** Shared bodies and large ones are compressed here, but for HEAD requests, metrics and files of pages. */
function isCompressedHere(request: FastifyRequest, body: unknown): body is Body {
  if (request.method === 'HEAD' || !(typeof body === 'string' || Buffer.isBuffer(body))) return false;
  if (body === request.sharedBody?.json) return Buffer.byteLength(body) >= LEAST_BYTES;
  return Buffer.isBuffer(body) && purposeOf(request) === undefined && body.length >= COMPRESSED_AT_ONCE_BYTES;
}

/** Whether a response may be compressed, by the rules of the plugin. */
function mayCompress({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  const hasCoding = (reply.getHeader('Content-Encoding') ?? 'identity') !== 'identity';
  const isPart = reply.statusCode === 206 || reply.hasHeader('Content-Range');
  if (hasCoding || isPart || headers['x-no-compression'] !== undefined) return false;
  return COMPRESSIBLE.test(String(reply.getHeader('Content-Type')));
}

/**
 * A response to HEAD is not compressed, so the length that the compressed response to GET would have is not known:
 * `Content-Length` is left out instead of naming another length (RFC 9110, 8.6).
 */
const omitLength: onSendHookHandler = (request, reply, payload, done) => {
  if (request.headers['accept-encoding'] !== undefined) reply.removeHeader('Content-Length');
  done(null, payload);
};
