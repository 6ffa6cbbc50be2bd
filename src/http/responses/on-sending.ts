import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { logUnexpected, titleOf } from '../../common/errors';
import { NO_STORE, securityHeadersOf } from '../default-headers';
import type { Begin } from '../requests/on-arrival';
import type { RequestMetrics } from '../requests/request-log';
import type { RequestRecord } from '../requests/request-record';
import type { BoundedServer } from '../server/bounded-server';
import { hasBody } from '../server/bounds';
import { connectionOf } from '../server/connection';
import { memoryOfBody } from '../server/held-memory';
import { bytesOfObjects, heldOutsideHeap, ReadyBody } from '../shared-body';
import { compress } from './compression';
import { revalidated } from './etags';

/**
 * Headers that describe a body. Those of a stream that has failed before its first byte are on the response of Node
 * already, from which they have to be removed as well.
 */
const OF_BODY = ['Content-Encoding', 'Content-Disposition', 'Cache-Control', 'ETag'];

/** What completes responses beside the functions of this folder. */
interface Completion {
  readonly begin: Begin;
  /** Writes the headers that say what was found. Throws where nothing was found out. */
  readonly writeResult: (reply: FastifyReply) => void;
  readonly metrics: RequestMetrics;
  readonly lifecycle: { readonly state: string };
}

/** Completes each response, in the order of the lines of the last hook. */
export function completeResponses(fastify: FastifyInstance, completion: Completion): void {
  const { begin, writeResult, metrics, lifecycle } = completion;
  fastify.addHook('preSerialization', ({ record }, reply, payload: unknown, done) => {
    if (payload instanceof ReadyBody) {
      record.ready = payload.content;
      reply.serializer(textOf);
    }
    done(null, payload);
  });
  // A stream may make its query only when it is read: its first bytes are awaited, before which the query has reported.
  fastify.addHook('onSend', ({ record }, _, payload, done) => {
    const data = (record as RequestRecord | undefined)?.data;
    const isUnreported = data !== undefined && data.label === undefined;
    if (payload instanceof Readable && !payload.destroyed && isUnreported) {
      void begun(payload).then(() => {
        done();
      });
    } else done();
  });
  // The hook is `onSend`, because Fastify runs `preSerialization` only for objects, and the body may be a text, such as
  // CSV.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // CORS and other protection of Nest respond in hooks of its adapter, which come before all hooks of the service.
    if ((request.record as RequestRecord | undefined) === undefined) begin(request, reply);
    // What no route has read of the body of the request would be held until the response has left (D59).
    if (payload !== request.raw && hasBody(request.raw)) request.raw.resume();
    if (payload instanceof Readable) logWhenBroken(request, reply, payload);
    writeResult(reply);
    completeHeaders(reply);
    // The ETag is made from the uncompressed body: it is the same for all encodings.
    const body = revalidated(reply, payload);
    const objectBytes = bytesOfObjects(body);
    const send = (sent: unknown): void => {
      // While the service drains before its shutdown, each connection is closed after its last response.
      const isLast = lifecycle.state === 'draining' && connectionOf(request.raw.socket)?.isLast === true;
      if (isLast) reply.header('Connection', 'close');
      countUnsent(request, sent, objectBytes);
      done(null, sent);
    };
    const sent = compress(reply, heldOutsideHeap(body), objectBytes, metrics);
    if (sent instanceof Promise) sent.then(send, done);
    else send(sent);
  });
}

/** Resolves when a stream has its first bytes, has ended, has failed or was closed. */
function begun(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['readable', 'end', 'error', 'close']) stream.once(event, resolve);
  });
}

/**
 * The text of a body. Where a hook fails later, an exception filter sends another body with the serializer of the ready
 * one.
 */
function textOf(body: unknown): string {
  // Fastify sends a buffer as well, although its types name texts only.
  return body instanceof ReadyBody ? (body.take() as string) : JSON.stringify(body);
}

const logger = new Logger('Response');

/**
 * Logs the error of a stream whose first bytes have left: only its connection can be closed (D83). An error because the
 * client has left is not logged.
 */
function logWhenBroken({ id, record }: FastifyRequest, { raw }: FastifyReply, stream: Readable): void {
  stream.once('error', (error) => {
    if (!raw.headersSent || raw.destroyed) return;
    record.isBroken = true;
    record.causes = [{ what: `the body broke off: ${titleOf(error)}` }];
    logUnexpected(logger, error, { requestId: id, trace_id: record.trace.traceId });
  });
}

function completeHeaders(reply: FastifyReply): void {
  const { raw, request } = reply;
  if (reply.statusCode >= 400) {
    // An error that replaces a response must not have the headers of its body (D79), and clients must not store it
    // (D20).
    for (const name of request.record.isPrepared ? OF_BODY : []) {
      reply.removeHeader(name);
      raw.removeHeader(name);
    }
    reply.header('Cache-Control', NO_STORE);
  }
  request.record.isPrepared = true;
  // Helmet and `useSecurityHeaders` of Nest set them on the response of Node, where Fastify would replace them by ours.
  for (const [name, ours] of securityHeadersOf(request.record.route.config)) {
    const value = raw.getHeader(name);
    if (value !== undefined && reply.getHeader(name) === ours) reply.header(name, value);
  }
}

/** Counts the memory of a response until it is sent (D59). Documents, which are held once for all, do not count. */
function countUnsent({ record, raw, server }: FastifyRequest, sent: unknown, objectBytes: number): void {
  const connection = connectionOf(raw.socket);
  const isOfAll = record.route.config.purpose === 'docs' && record.ready !== undefined;
  if (connection !== undefined && !isOfAll) {
    const body = memoryOfBody(sent);
    connection.body = body;
    connection.objectBytes = objectBytes;
    (server.server as BoundedServer).added((typeof body === 'number' ? body : body.length) + objectBytes);
  }
  // `ready` holds the text, which is of no use while its compressed bytes are being sent.
  record.ready = undefined;
}
