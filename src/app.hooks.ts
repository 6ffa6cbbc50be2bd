import middie from '@fastify/middie';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/health.module';
import { ManagementPort } from './health/management-port';
import { markPages } from './http/paths';
import { refusalForOverload } from './http/requests/load-shedding';
import { beginRequests, dropUnreadBodies, refuseRequests } from './http/requests/on-arrival';
import { RequestMetrics } from './http/requests/request.metrics';
import { observeRequests } from './http/requests/request-log';
import { decorateRequests } from './http/requests/request-record';
import { refusalOfTarget, rejectOtherMethods } from './http/requests/unroutable-requests';
import { refuseOtherCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { whenETagsWork } from './http/responses/etags';
import { completeResponses } from './http/responses/on-sending';
import type { BoundedServer } from './http/server/bounded-server';
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
  const arrival = beginRequests(fastify, settings);
  observeRequests(fastify, metrics, app.get(LogDestination), logger.levelVal);
  const server = fastify.server as BoundedServer;
  metrics.show(server);
  // CORS comes before the hook that refuses requests: without its headers, browsers hide the response from pages of
  // other origins.
  await addCors(fastify, settings, COMPLETENESS_HEADER);
  const management = app.get(ManagementPort);
  management.join(fastify);
  const overload = refusalForOverload(server, metrics, settings.maxActiveRequests);
  refuseRequests(fastify, [management.refusal, refusalOfTarget, overload]);
  await fastify.register(middie);
  // Middleware of an application may read the body of a request that no route matches: it has to run before the next
  // hook, which drops such a body.
  dropUnreadBodies(fastify);
  refuseOtherCompression(fastify);
  const lifecycle = app.get(Lifecycle);
  completeResponses(fastify, { ...arrival, writeResult: writeResultHeaders, metrics, lifecycle });
  return rejectOtherMethods(fastify);
}
