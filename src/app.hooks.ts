import middie from '@fastify/middie';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { notify } from './common/errors';
import type { Settings } from './config/settings';
import type { Lifecycle } from './health/lifecycle';
import { IGNORED_PARAMETERS_HEADER } from './http/parameters/ignored-parameters';
import { isApiRequest } from './http/paths';
import { observeRequests } from './http/requests/completed-request';
import { prefersStrictHandling } from './http/requests/request-headers';
import { logRequest } from './http/requests/request-log';
import { traceRequests } from './http/requests/request-spans';
import { decorateRequests } from './http/requests/request-state';
import type { RequestMetrics } from './http/requests/request.metrics';
import { addCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { addETags } from './http/responses/etag';
import { addResponseHeaders } from './http/responses/response-headers';
import type { BoundedServer } from './http/server/bounded-server';
import { separateManagement } from './http/server/management-port';
import { refuseOtherMethods } from './http/server/methods';
import { refuseEarly } from './http/server/refusals';
import { COMPLETENESS_HEADER } from './shipping/http/respond';

/** What the hooks need of the application. */
export interface HookOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly metrics: RequestMetrics;
}

/**
 * Adds all Fastify hooks, before any route exists. Fastify runs the hooks of one kind in this order; Nest's guards and
 * handlers run after the `onRequest` hooks and before the `onSend` hooks.
 */
export async function addHooks(fastify: FastifyInstance, options: HookOptions): Promise<void> {
  const server = fastify.server as BoundedServer;
  await addRequestHooks(fastify, server, options);
  await addResponseHooks(fastify, server, options);
  refuseOtherMethods(fastify);
}

async function addRequestHooks(
  fastify: FastifyInstance,
  server: BoundedServer,
  { settings, logger, metrics }: HookOptions,
): Promise<void> {
  const { corsOrigins, host, managementPort, maxActiveRequests } = settings;
  const forwarded = settings.external.forwardHeaders;
  const hasCors = corsOrigins.length > 0;

  // First what every response needs, also those of refused requests: their durations include all other hooks.
  decorateRequests(fastify, settings.external);
  const activeRequests = observeRequests(fastify, (request) => {
    notify(() => {
      metrics.requestCompleted(request);
    });
    notify(() => {
      logRequest(logger, request);
    });
  });
  metrics.show(activeRequests, () => server.unsentBytes);
  addResponseHeaders(fastify, hasCors, forwarded);
  readPreferences(fastify);
  // The span is active in all that follows.
  traceRequests(fastify);
  // CORS before the refusals: pages may read these too.
  if (hasCors) {
    const exposed = [COMPLETENESS_HEADER, IGNORED_PARAMETERS_HEADER];
    await addCors(fastify, { origins: corsOrigins, allowed: forwarded, exposed });
  }
  refuseEarly(fastify, {
    overload: () => {
      if (activeRequests() > maxActiveRequests) return 'active-requests';
      return server.isFull ? 'unsent-bytes' : undefined;
    },
    refused: (cause) => {
      metrics.requestRefused(cause);
    },
    isAtOtherPort: managementPort === undefined ? undefined : separateManagement(fastify, host, managementPort, logger),
  });
  // Middleware of Nest, for what is not refused.
  await fastify.register(middie);
}

async function addResponseHooks(
  fastify: FastifyInstance,
  server: BoundedServer,
  { lifecycle }: HookOptions,
): Promise<void> {
  // The ETag is that of the uncompressed body.
  await addETags(fastify);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.state === 'draining' && server.isLast(reply.raw)) reply.header('Connection', 'close');
    const isHeld = typeof payload === 'string' || (Buffer.isBuffer(payload) && !request.routeOptions.config.heldOnce);
    if (isHeld) server.count(reply.raw, Buffer.byteLength(payload));
    done();
  });
  await addCompression(fastify);
}

function readPreferences(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { prefer } = request.headers;
    if (typeof prefer === 'string' && isApiRequest(request) && prefersStrictHandling(prefer)) {
      request.strict = true;
      reply.header('Preference-Applied', 'handling=strict');
    }
    done();
  });
}
