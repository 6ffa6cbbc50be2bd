import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { notify } from './common/safe-observer';
import type { Settings } from './config/settings';
import type { Lifecycle } from './health/lifecycle';
import { observeRequests, type CompletedRequest } from './http/completed-request';
import { addCompression } from './http/compression';
import { allowOrigins, type CorsHeaders } from './http/cors';
import { trackDisconnects } from './http/disconnects';
import { closeConnectionsWhile } from './http/draining';
import { addETags } from './http/etag';
import type { EventLoopLag } from './http/event-loop-lag';
import { forwardHeaders } from './http/forwarded-headers';
import { respondToHeadAsGet } from './http/head-requests';
import { refuseMalformedRequests } from './http/malformed-requests';
import { separateManagement } from './http/management-port';
import { refuseOtherMethods } from './http/method-not-allowed';
import { readPreferences } from './http/preferences';
import { boundUnsentBytes, refuseWhile } from './http/overload';
import { IGNORED_PARAMETERS_HEADER } from './http/parameters/ignored-parameters';
import { linkQueries } from './http/query-string';
import { logRequest } from './http/request-log';
import { traceRequests } from './http/request-spans';
import { decorateRequests } from './http/request-state';
import { refuseUndecodableTargets } from './http/request-target';
import type { Overload, RequestMetrics } from './http/request.metrics';
import { addResponseHeaders } from './http/response-headers';
import { addServerTiming } from './http/server-timing';
import { COMPLETENESS_HEADER } from './shipping/http/completeness.header';

/** Headers that pages of allowed origins may send and read. */
const CORS: CorsHeaders = {
  allowed: [
    'Accept',
    'Prefer',
    'X-Request-Id',
    'traceparent',
    'If-None-Match',
    'Cache-Control',
    'Authorization',
    'X-API-Key',
  ],
  exposed: [
    COMPLETENESS_HEADER,
    IGNORED_PARAMETERS_HEADER,
    'X-Request-Id',
    'Link',
    'ETag',
    'Retry-After',
    'Preference-Applied',
    'Cache-Status',
    'Age',
    'RateLimit',
    'RateLimit-Policy',
    'WWW-Authenticate',
  ],
};

/** Headers that describe a result, which a problem in its place must not have. */
const RESULT_HEADERS = [COMPLETENESS_HEADER, 'Cache-Status', 'Age', 'Link'];

/** What the hooks need of the application. */
export interface HookOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  readonly metrics: RequestMetrics;
  readonly eventLoopLag: Pick<EventLoopLag, 'overloaded'>;
}

/**
 * Adds all Fastify hooks, before any route exists. Fastify runs the hooks of one kind in this order; Nest's guards and
 * handlers run after the `onRequest` hooks and before the `onSend` hooks.
 */
export async function addHooks(fastify: FastifyInstance, options: HookOptions): Promise<void> {
  const { settings, logger, lifecycle, metrics, eventLoopLag } = options;
  const { corsOrigins, management, logSampleRate, serverTiming } = settings;
  const { forwardHeaders: forwarded } = settings.external;
  const hasCors = corsOrigins.length > 0;
  const cors: CorsHeaders = { ...CORS, allowed: [...CORS.allowed, ...forwarded] };

  // onRequest. First what every response needs, also those of the hooks that refuse requests.
  decorateRequests(fastify);
  linkQueries(fastify);
  forwardHeaders(fastify, forwarded);
  // The arrival time comes first: durations include all other hooks.
  trackDisconnects(fastify);
  // The span becomes active before anything else runs in its context.
  traceRequests(fastify);
  addResponseHeaders(fastify, hasCors, forwarded);
  const record = recorder(metrics, logger, logSampleRate);
  const activeRequests = observeRequests(fastify, record);
  fastify.clientErrors.observe(record);
  metrics.show(activeRequests, () => fastify.connections.unsentBytes);
  // CORS before all refusals: pages may read these too.
  await allowOrigins(fastify, corsOrigins, cors);
  readPreferences(fastify);

  // Then the hooks that refuse requests, the cheapest first.
  refuseMalformedRequests(fastify);
  refuseUndecodableTargets(fastify);
  if (management !== undefined) separateManagement(fastify, management, logger);
  const isFull = (): boolean => fastify.connections.unsentBytes > settings.maxUnsentBytes;
  const overload = (): Overload | undefined => {
    if (eventLoopLag.overloaded) return 'event-loop-lag';
    if (activeRequests() > settings.maxActiveRequests) return 'active-requests';
    return isFull() ? 'unsent-bytes' : undefined;
  };
  const refused = (cause: Overload): void => {
    metrics.requestRefused(cause);
  };
  refuseWhile(fastify, overload, refused);

  // onSend. The ETag is that of the uncompressed body; Server-Timing includes compression.
  closeConnectionsWhile(fastify, () => lifecycle.state === 'draining');
  await addETags(fastify);
  boundUnsentBytes(fastify, isFull, refused, RESULT_HEADERS);
  addCompression(fastify);
  if (serverTiming) addServerTiming(fastify);

  // onRoute. HEAD measures the body after all onSend hooks.
  respondToHeadAsGet(fastify);
  refuseOtherMethods(fastify, hasCors ? cors : undefined);
}

/** Counts and logs each completed request. */
function recorder(metrics: RequestMetrics, logger: Logger, sampleRate: number): (request: CompletedRequest) => void {
  return (request) => {
    notify(() => {
      metrics.requestCompleted(request);
    });
    notify(() => {
      logRequest(logger, request, sampleRate);
    });
  };
}
