import middie from '@fastify/middie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { observeRequests, traceRequests } from './http/requests/observe-requests';
import { markPages } from './http/paths';
import { decorateRequests } from './http/requests/request-state';
import { RequestMetrics } from './http/requests/request.metrics';
import { addCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { addETags } from './http/responses/etag';
import { addResponseHeaders } from './http/responses/response-headers';
import { countUnsent, type BoundedServer } from './http/server/bounded-server';
import { separateManagement } from './http/server/management-port';
import { refuseEarly, refuseOtherMethods } from './http/server/refusals';
import { LogDestination } from './observability/logging/log-destination';
import { PINO } from './observability/logging/logger';
import { checkResults, COMPLETENESS_HEADER } from './shipping/http/respond';

/** Adds all Fastify hooks, in their order, before any route; guards run between `onRequest` and `onSend` hooks. */
export async function addHooks(app: NestFastifyApplication): Promise<void> {
  const settings = app.get<Settings>(SETTINGS);
  const logger = app.get<Logger>(PINO);
  const metrics = app.get(RequestMetrics);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const server = fastify.server as BoundedServer;

  markPages(fastify);
  checkResults(fastify);
  // These come first because responses to refused requests need them, too, and durations have to include all other hooks.
  decorateRequests(fastify, settings);
  observeRequests(fastify, metrics, app.get(LogDestination), logger.levelVal);
  metrics.show(server);
  addResponseHeaders(fastify, settings);
  // The span is active in all that follows.
  traceRequests(fastify);
  // CORS comes before the refusals, so that pages of other origins may read these, too.
  await addCors(fastify, settings, COMPLETENESS_HEADER);
  const isAtOtherPort = separateManagement(fastify, settings, logger);
  refuseEarly(fastify, metrics, isAtOtherPort, settings.maxActiveRequests);
  await fastify.register(middie);
  // The ETag is that of the uncompressed body.
  await addETags(fastify);
  countUnsent(fastify, app.get(Lifecycle));
  await addCompression(fastify);
  refuseOtherMethods(fastify);
}
