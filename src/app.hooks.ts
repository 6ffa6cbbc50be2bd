import middie from '@fastify/middie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/health.module';
import { separateManagement } from './health/management-port';
import { shedLoad } from './http/requests/load-shedding';
import { beginRequests } from './http/requests/on-arrival';
import { RequestMetrics } from './http/requests/request.metrics';
import { observeRequests } from './http/requests/request-log';
import { decorateRequests } from './http/requests/request-record';
import { addCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { completeResponses } from './http/responses/on-sending';
import { whenETagsWork } from './http/responses/shared-body';
import { markPages } from './http/routing/paths';
import { rejectOtherMethods, rejectUnroutableTargets } from './http/routing/unroutable-requests';
import type { BoundedServer } from './http/server/bounded-server';
import { countUnsent, dropUnreadBodies } from './http/server/held-bodies';
import { LogDestination } from './observability/logging/log-destination';
import { PINO } from './observability/logging/logger';
import { COMPLETENESS_HEADER, writeResultHeaders } from './shipping/http/result-headers';

/**
 * Adds all Fastify hooks before any route, because a route has only the hooks that are added before it. Hooks run in
 * the order of these lines, and the guards of Nest run after all `onRequest` hooks and before all `onSend` hooks.
 *
 * @returns a function to call when all routes are registered
 */
export async function addHooks(app: NestFastifyApplication): Promise<() => void> {
  const settings = app.get<Settings>(SETTINGS);
  const logger = app.get<Logger>(PINO);
  const metrics = app.get(RequestMetrics);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();

  await whenETagsWork;
  // This adds no hook that runs before a request is routed: it sees routes as they are added.
  markPages(fastify);
  // Of the hooks that run when a request arrives, those for its id, log line, metrics and headers come first: responses
  // to requests that a later hook refuses need them, too, and the measured duration has to include the other hooks.
  decorateRequests(fastify, settings);
  const ownHeaders = beginRequests(fastify, settings);
  writeResultHeaders(fastify);
  observeRequests(fastify, metrics, app.get(LogDestination), logger.levelVal);
  metrics.show(fastify.server as BoundedServer);
  // CORS comes before the hooks that reject requests: without its headers, browsers hide the response from pages of
  // other origins.
  await addCors(fastify, settings, COMPLETENESS_HEADER);
  separateManagement(fastify, settings, logger);
  rejectUnroutableTargets(fastify);
  shedLoad(fastify, metrics, settings.maxActiveRequests);
  await fastify.register(middie);
  // Middleware of an application may read the body of a request that no route matches: it has to run before the next
  // hook, which drops such a body.
  dropUnreadBodies(fastify);
  // ETags come before compression, because an ETag is made from the uncompressed body: it is the same for all
  // encodings.
  completeResponses(fastify, ownHeaders);
  addCompression(fastify, metrics);
  // What is sent is counted after compression, because the uncompressed body is then no longer held.
  countUnsent(fastify, app.get(Lifecycle));
  return rejectOtherMethods(fastify);
}
