import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { traceOf } from '../../observability/tracing/trace-context';
import { AbortEmitter } from '../../resilience/deadline';
import { UNDECODABLE_TARGET } from '../paths';
import { endSpan } from './request-spans';
import type { RequestMetrics } from './request.metrics';

const CLIENT_CLOSED_REQUEST = 499;

/**
 * Logs and measures every completed request and every client that disconnected, and ends their spans.
 *
 * @returns the number of active requests
 */
export function observeRequests(fastify: FastifyInstance, logger: Logger, metrics: RequestMetrics): () => number {
  let active = 0;
  const end = (request: FastifyRequest, status: number, completeness?: string): void => {
    if (request.active) active -= 1;
    request.active = false;
    if (request.span !== undefined) endSpan(request.span, status, completeness);
    const completed = describe(request, status, completeness);
    metrics.requestCompleted(completed);
    logRequest(logger, completed);
  };
  fastify.addHook('onRequest', (request, _, done) => {
    request.arrivedAt = performance.now();
    request.disconnect = new AbortEmitter();
    request.active = true;
    active += 1;
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // Node 20 reports responses that were cut off like those that were sent.
    if (request.raw.socket.destroyed) end(request, CLIENT_CLOSED_REQUEST);
    else end(request, reply.statusCode, request.completeness);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.disconnect.abort();
    end(request, CLIENT_CLOSED_REQUEST);
    done();
  });
  return () => active;
}

/** Logs a request, as a warning where its response is a server error or not complete. */
function logRequest(logger: Logger, request: ReturnType<typeof describe>): void {
  const isDegraded = request.completeness?.startsWith('complete') === false;
  logger[request.status >= 500 || isDegraded ? 'warn' : 'info'](request, 'request');
}

/** Names of the log; no parameter, identifier or search term. */
function describe(request: FastifyRequest, status: number, completeness?: string) {
  const { traceId, spanId } = traceOf(request);
  const { method, url, routeOptions, id, user, problem, arrivedAt } = request;
  return {
    method,
    route: url === UNDECODABLE_TARGET ? 'unmatched' : (routeOptions.url ?? 'unmatched'),
    status,
    requestId: id,
    trace_id: traceId,
    span_id: spanId,
    client: user?.name,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    durationMs: Math.round((performance.now() - arrivedAt) * 1000) / 1000,
  };
}
