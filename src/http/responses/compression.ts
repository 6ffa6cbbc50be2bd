import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { shed } from '../requests/load-shedding';
import type { RequestMetrics } from '../requests/request.metrics';
import { purposeOf } from '../routing/paths';
import type { BoundedServer } from '../server/bounded-server';
import { memoryOfBody } from '../server/held-memory';
import { bytesOfObjects, heldOutsideHeap } from './long-text';
import { SharedBody } from './shared-body';

/** Only bodies over 1 KiB are compressed (D79); smaller ones fit one packet as they are. */
const LEAST_BYTES = 1025;
/** `Accept-Encoding` of browsers has 30 characters; to read 16 KiB would take longer than the rest of a request. */
const MAX_ACCEPT_LENGTH = 256;
const atOnce = (): void => undefined;
const COMPRESSIBLE = /^text\/(?!event-stream)|[/+](?:json|xml)(?:;|$)/;

/**
 * Compresses responses by gzip for clients that accept it (D79). A body that many responses share is compressed once
 * for all of them. The number of bodies that are compressed at a time is bounded (D59); streams of an application are
 * compressed as they come. A response to HEAD has the headers of that to GET. An application that registers
 * `@fastify/compress` as well does not start (D83).
 */
export function addCompression(fastify: FastifyInstance, metrics: RequestMetrics): void {
  const server = fastify.server as BoundedServer;
  fastify.addHook('onReady', (done) => {
    const isTwice = fastify.hasPlugin('@fastify/compress');
    done(isTwice ? new Error('The service compresses responses itself: do not register @fastify/compress') : undefined);
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { record } = request;
    record.objectBytes = bytesOfObjects(payload);
    const body = heldOutsideHeap(payload);
    const isWanted = acceptsGzip(request.headers['accept-encoding']) && mayCompress(request, reply, body);
    if (!isWanted) {
      done(null, body);
      return;
    }
    const encode = (encoded: Buffer | Readable): void => {
      reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length');
      done(null, encoded);
    };
    if (body instanceof Readable) {
      // An error of the stream is one of the compressor, too, which Fastify handles.
      encode(pipeline(body, createGzip(), () => undefined));
      return;
    }
    const text = body as string | Buffer;
    const shared = record.ready?.json === text ? record.ready : new SharedBody(text);
    // A body that waits for its compressor counts as held. Where there is no room for it, the request is shed: no
    // connection is closed for it, because its client may be one that reads (D59).
    const endOfWait = shared.isSoonCompressed ? atOnce : server.prepare(memoryOfBody(text), record.objectBytes);
    if (endOfWait === undefined) {
      done(shed(reply, metrics, 'unsent-bytes'));
      return;
    }
    const encoding = shared.compressed();
    if (Buffer.isBuffer(encoding)) encode(encoding);
    else encoding.finally(endOfWait).then(encode, done);
  });
}

/**
 * Whether a client accepts a response that is compressed by gzip (RFC 9110, 12.5.3). `*` stands for the codings that the
 * header does not name.
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined || header.length > MAX_ACCEPT_LENGTH) return false;
  const codings = header.toLowerCase().replaceAll('x-gzip', 'gzip');
  return negotiate(codings.includes('gzip') ? codings.replace('*', '') : codings, ['gzip']) === 'gzip';
}

function mayCompress(request: FastifyRequest, reply: FastifyReply, body: unknown): boolean {
  const { headers, record } = request;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const isLong = isText ? Buffer.byteLength(body) >= LEAST_BYTES : body instanceof Readable;
  if (!isLong || headers['x-no-compression'] !== undefined) return false;
  // The other files of pages are compressed once, or not at all.
  if (purposeOf(request) === 'docs' && body !== record.ready?.json) return false;
  const isPart = reply.statusCode === 206 || reply.hasHeader('Content-Range');
  if (isPart || (reply.getHeader('Content-Encoding') ?? 'identity') !== 'identity') return false;
  return COMPRESSIBLE.test(String(reply.getHeader('Content-Type')));
}
