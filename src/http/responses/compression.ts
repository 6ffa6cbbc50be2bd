import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ProblemException } from '../problems/problem-definitions';
import { shed } from '../requests/refusals';
import type { RequestMetrics } from '../requests/request-log';
import type { BoundedServer } from '../server/bounded-server';
import { memoryOfBody } from '../server/held-memory';
import { SharedBody } from '../shared-body';

/** Only bodies over 1 KiB are compressed (D79); smaller ones fit one packet as they are. */
const LEAST_BYTES = 1025;
/** `Accept-Encoding` of browsers has 30 characters; to read 16 KiB would take longer than the rest of a request. */
const MAX_ACCEPT_LENGTH = 256;
const COMPRESSIBLE = /^text\/(?!event-stream)|[/+](?:json|xml)(?:;|$)/;

/**
 * An application that registers `@fastify/compress` as well does not start (D83): the service compresses responses
 * itself.
 */
export function refuseOtherCompression(fastify: FastifyInstance): void {
  fastify.addHook('onReady', (done) => {
    const isTwice = fastify.hasPlugin('@fastify/compress');
    done(isTwice ? new Error('The service compresses responses itself: do not register @fastify/compress') : undefined);
  });
}

/**
 * Compresses the body of a response by gzip for a client that accepts it (D79). A body that many responses share is
 * compressed once for all of them. The number of bodies that are compressed at a time is bounded (D59); streams of an
 * application are compressed as they come. A response to HEAD has the headers of that to GET.
 *
 * @returns what is sent: the body, where it is not compressed
 */
export function compress(reply: FastifyReply, body: unknown, objectBytes: number, metrics: RequestMetrics): unknown {
  const { headers, record, server } = reply.request;
  if (!acceptsGzip(headers['accept-encoding']) || !mayCompress(reply, body)) return body;
  const encoded = <Coding>(coding: Coding): Coding => {
    reply.header('Content-Encoding', 'gzip').removeHeader('Content-Length');
    return coding;
  };
  // An error of the stream is one of the compressor, too, which Fastify handles.
  if (body instanceof Readable) return encoded(pipeline(body, createGzip(), () => undefined));
  const text = body as string | Buffer;
  const shared = record.ready?.json === text ? record.ready : new SharedBody(text);
  if (shared.isSoonCompressed) return encoded(shared.compressed());
  // A body that waits for its compressor counts as held. Where there is no room for it, the request is shed: no
  // connection is closed for it, because its client may be one that reads (D59).
  const endOfWait = (server.server as BoundedServer).prepare(memoryOfBody(text), objectBytes);
  if (endOfWait === undefined) throw new ProblemException(shed(reply, metrics, 'unsent-bytes'));
  return Promise.resolve(shared.compressed()).finally(endOfWait).then(encoded);
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

function mayCompress(reply: FastifyReply, body: unknown): boolean {
  const { record } = reply.request;
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  const isLong = isText ? Buffer.byteLength(body) >= LEAST_BYTES : body instanceof Readable;
  if (!isLong) return false;
  // The other files of pages are compressed once, or not at all.
  if (record.route.config.purpose === 'docs' && body !== record.ready?.json) return false;
  const isPart = reply.statusCode === 206 || reply.hasHeader('Content-Range');
  if (isPart || (reply.getHeader('Content-Encoding') ?? 'identity') !== 'identity') return false;
  return COMPRESSIBLE.test(String(reply.getHeader('Content-Type')));
}
