import { context, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostname } from 'node:os';
import { printCauses } from '../../common/cause';
import type { LogDestination } from '../../observability/logging/log-destination';
import { traceOf, traceOfSpan } from '../../observability/tracing/trace-context';
import { endSpan, isTracedByOthers, tracing } from '../../observability/tracing/tracing';
import { CLIENT_DISCONNECTED } from '../../resilience/upstream-failure';
import { purposeOf } from '../paths';
import type { RequestMetrics } from './request.metrics';

const CLIENT_CLOSED_REQUEST = 499;
const HOSTNAME = hostname();

/** The methods that have a label of their own in metrics. All others share one, because clients may invent methods. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']);

/** Logs and measures every completed request and every client that disconnected, and ends their spans. */
export function observeRequests(
  fastify: FastifyInstance,
  metrics: RequestMetrics,
  log: LogDestination,
  level: number,
): void {
  const end = (request: FastifyRequest, status: number, completeness?: string): void => {
    const line = describe(request, status, completeness);
    if (request.span !== undefined) endSpan(request.span, status, completeness, line.cause);
    const method = METHODS.has(line.method) ? line.method : '_OTHER';
    const labels = { method, route: line.route, status, completeness: completeness ?? 'none' };
    metrics.requests.observe(labels, line.durationMs / 1000);
    if (line.level >= level) log.write(`${JSON.stringify(line)}\n`);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.fastifyReply = reply;
    request.arrivedAt = performance.now();
    request.disconnect = new AbortController();
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    // Node 20 reports a response that was cut off like one that was sent; the closed socket shows which it was.
    if (request.raw.socket.destroyed) end(request, CLIENT_CLOSED_REQUEST);
    else end(request, reply.statusCode, request.completeness);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.disconnect?.abort(CLIENT_DISCONNECTED);
    end(request, CLIENT_CLOSED_REQUEST);
    done();
  });
}

/**
 * The log line of a request, with the fields that pino writes. It is made here because each request would take 5 % more
 * time with pino (docs/decisions/0006-fast-paths.md). It contains no path or query parameter of the client (D39): of a
 * path it has only the template of the route.
 */
function describe(request: FastifyRequest, status: number, completeness?: string) {
  const { traceId, spanId } = traceOf(request);
  const now = performance.now();
  const { url, config } = request.routeOptions;
  const { method, id, clientName, problem, causes, arrivedAt = now } = request;
  const isBad = status >= 500 || completeness?.startsWith('complete') === false;
  return {
    // The numbers of pino: 40 is warn, 30 is info, 20 is debug. Probes come every few seconds, and fail on purpose while
    // the service starts or drains.
    level: config.purpose === 'management' ? 20 : isBad ? 40 : 30,
    time: Date.now(),
    pid: process.pid,
    hostname: HOSTNAME,
    method,
    route: url ?? 'unmatched',
    status,
    requestId: id,
    trace_id: traceId,
    span_id: spanId,
    client: clientName,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    cause: causes && printCauses(causes),
    durationMs: Math.round((now - arrivedAt) * 1000) / 1000,
    msg: 'request',
  };
}

/**
 * Runs each request, except those for probes and metrics, in a span of its own where the tracing of the service is
 * loaded (`node --require …/preload.js`). Where another OpenTelemetry SDK traces the process instead, its active span
 * is taken: the log has the ids of this span, and upstream requests send them in `traceparent` (D79).
 */
export function traceRequests(fastify: FastifyInstance): void {
  const traces = tracing();
  if (isTracedByOthers()) {
    fastify.addHook('onRequest', (request, _, done) => {
      const span = trace.getActiveSpan();
      if (span !== undefined) request.trace = traceOfSpan(span);
      done();
    });
  }
  if (traces === undefined) return;
  fastify.addHook('onRequest', (request, _, done) => {
    if (purposeOf(request) === 'management') {
      done();
      return;
    }
    const incoming = traceOf(request);
    const span = traces.startRequest(request.method, request.routeOptions.url, incoming);
    request.span = span;
    request.trace = traceOfSpan(span, incoming.parentId);
    context.with(trace.setSpan(context.active(), span), done);
  });
}
