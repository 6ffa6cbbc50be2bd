import middie from '@fastify/middie';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { notify } from './common/errors';
import type { Settings } from './config/settings';
import type { Lifecycle } from './health/lifecycle';
import { IGNORED_PARAMETERS_HEADER } from './http/parameters/ignored-parameters';
import { sendProblem } from './http/problems/problem.filter';
import { observeRequests, type CompletedRequest } from './http/requests/completed-request';
import { forwardHeaders } from './http/requests/headers-sent-on';
import { readPreference } from './http/requests/preferences';
import { logRequest } from './http/requests/request-log';
import { traceRequests } from './http/requests/request-spans';
import { decorateRequests } from './http/requests/request-state';
import type { Overload, RequestMetrics } from './http/requests/request.metrics';
import { addCompression } from './http/responses/compression';
import { allowOrigins, type CorsRules } from './http/responses/cors';
import { addETags } from './http/responses/etag';
import { closeConnectionsWhile, responseHeaders } from './http/responses/response-headers';
import type { EventLoopLag } from './http/server/event-loop-lag';
import { malformed } from './http/server/malformed-requests';
import { separateManagement } from './http/server/management-port';
import { refuseOtherMethods, respondToHeadAsGet } from './http/server/methods';
import { boundUnsentBytes, MAX_UNSENT_BYTES, whileOverloaded } from './http/server/overload';
import { COMPLETENESS_HEADER } from './shipping/http/respond';

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
  const { corsOrigins, host, managementPort: port } = settings;
  const { forwardHeaders: forwarded } = settings.external;
  const cors: CorsRules = {
    origins: corsOrigins,
    allowed: forwarded,
    exposed: [COMPLETENESS_HEADER, IGNORED_PARAMETERS_HEADER],
  };
  const hasCors = corsOrigins.length > 0;

  // onRequest. First what every response needs, also those of refused requests: their durations include all other hooks.
  decorateRequests(fastify);
  forwardHeaders(fastify, forwarded);
  const setHeaders = responseHeaders(hasCors, forwarded);
  const record = recorder(metrics, logger);
  const activeRequests = observeRequests(fastify, record, (request, reply) => {
    setHeaders(request, reply);
    readPreference(request, reply);
  });
  fastify.clientErrors.observe(record);
  metrics.show(activeRequests, () => fastify.connections.unsentBytes);
  // The span is active in all that follows.
  traceRequests(fastify);
  // CORS before the refusals: pages may read these too.
  await allowOrigins(fastify, cors);

  // The cheapest refusals first.
  const { isFull, overload } = loadOf(fastify, settings, activeRequests, eventLoopLag);
  const refused = refuser(fastify, metrics);
  const atOtherPort = port === undefined ? undefined : separateManagement(fastify, { host, port }, logger);
  const whileBusy = whileOverloaded(overload, refused);
  fastify.addHook('onRequest', (request, reply, done) => {
    const problem = malformed(request, reply) ?? atOtherPort?.(request) ?? whileBusy(request, reply);
    if (problem === undefined) done();
    else sendProblem(reply, request, problem);
  });
  // Middleware of Nest, for what is not refused.
  await fastify.register(middie);

  // onSend. The ETag is that of the uncompressed body.
  closeConnectionsWhile(fastify, () => lifecycle.state === 'draining');
  await addETags(fastify);
  boundUnsentBytes(fastify, isFull, refused, RESULT_HEADERS);
  addCompression(fastify);

  // onRoute. HEAD measures the body after all onSend hooks.
  respondToHeadAsGet(fastify);
  refuseOtherMethods(fastify, hasCors ? cors : undefined);
}

/** Whether too many bytes are unsent, and the cause of an overload. */
function loadOf(
  { connections }: FastifyInstance,
  { maxActiveRequests }: Settings,
  activeRequests: () => number,
  eventLoopLag: Pick<EventLoopLag, 'overloaded'>,
): { isFull: () => boolean; overload: () => Overload | undefined } {
  const isFull = (): boolean => connections.unsentBytes > MAX_UNSENT_BYTES;
  const overload = (): Overload | undefined => {
    if (eventLoopLag.overloaded) return 'event-loop-lag';
    if (activeRequests() > maxActiveRequests) return 'active-requests';
    return isFull() ? 'unsent-bytes' : undefined;
  };
  return { isFull, overload };
}

/** Counts each refused request; one that is refused because too many bytes are unsent closes the slowest reader. */
function refuser({ connections }: FastifyInstance, metrics: RequestMetrics): (cause: Overload) => void {
  return (cause) => {
    metrics.requestRefused(cause);
    if (cause === 'unsent-bytes') connections.closeSlowest();
  };
}

/** Counts and logs each completed request. */
function recorder(metrics: RequestMetrics, logger: Logger): (request: CompletedRequest) => void {
  return (request) => {
    notify(() => {
      metrics.requestCompleted(request);
    });
    notify(() => {
      logRequest(logger, request);
    });
  };
}
