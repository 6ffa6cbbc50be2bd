import middie from '@fastify/middie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { logRequest, observeRequests } from './http/requests/request-log';
import { traceRequests } from './http/requests/request-spans';
import { decorateRequests } from './http/requests/request-state';
import { RequestMetrics } from './http/requests/request.metrics';
import { addCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { addETags } from './http/responses/etag';
import { addResponseHeaders } from './http/responses/response-headers';
import type { BoundedServer } from './http/server/bounded-server';
import { separateManagement } from './http/server/management-port';
import { refuseEarly, refuseOtherMethods } from './http/server/refusals';
import { PINO } from './observability/logging/logger';
import { COMPLETENESS_HEADER } from './shipping/http/respond';

/** Memory of a stream that is not read: 64 KiB of its own and 64 KiB in the response. */
const STREAM_BYTES = 131_072;

/** Adds all Fastify hooks, in their order, before any route; guards run between `onRequest` and `onSend` hooks. */
export async function addHooks(app: NestFastifyApplication): Promise<void> {
  const settings = app.get<Settings>(SETTINGS);
  const logger = app.get<Logger>(PINO);
  const metrics = app.get(RequestMetrics);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const server = fastify.server as BoundedServer;

  // First what responses to refused requests need, too; durations include all other hooks.
  decorateRequests(fastify, settings.external);
  const activeRequests = observeRequests(fastify, (request) => {
    metrics.requestCompleted(request);
    logRequest(logger, request);
  });
  metrics.show(activeRequests, () => server.unsentBytes);
  addResponseHeaders(fastify, settings);
  // The span is active in all that follows.
  traceRequests(fastify);
  // Before the refusals: pages may read these, too.
  await addCors(fastify, settings, COMPLETENESS_HEADER);
  refuseEarly(fastify, metrics, separateManagement(fastify, settings, logger), () => {
    if (activeRequests() > settings.maxActiveRequests) return 'active-requests';
    return server.isFull ? 'unsent-bytes' : undefined;
  });
  // Middleware of Nest.
  await fastify.register(middie);
  // The ETag is that of the uncompressed body.
  await addETags(fastify);
  countUnsent(fastify, server, app.get(Lifecycle));
  await addCompression(fastify);
  refuseOtherMethods(fastify);
}

/** Counts unsent bytes; while draining, closes connections after their last response. */
function countUnsent(fastify: FastifyInstance, server: BoundedServer, lifecycle: Lifecycle): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.state === 'draining' && server.isLast(reply.raw)) reply.header('Connection', 'close');
    if (!request.routeOptions.config.heldOnce) server.count(reply.raw, bytesHeld(payload));
    done();
  });
}

function bytesHeld(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload);
  return payload instanceof Readable ? STREAM_BYTES : 0;
}
