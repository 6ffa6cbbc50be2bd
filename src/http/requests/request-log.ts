import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hostname } from 'node:os';
import { type Counter, Histogram, Registry } from 'prom-client';
import { printCauses } from '../../common/errors';
import type { LogDestination } from '../../observability/logging/log-destination';
import { counter, gauge, SECONDS_BUCKETS } from '../../observability/metrics/metrics.module';
import { endSpan } from '../../observability/tracing/tracing';
import { CLIENT_DISCONNECTED } from '../../resilience/upstream-failure';

const CLIENT_CLOSED_REQUEST = 499;
const HOSTNAME = hostname();

const OVERLOADS = ['active-requests', 'unsent-bytes'] as const;
export type Overload = (typeof OVERLOADS)[number];

/**
 * Metrics of requests. No value that a client chooses freely is a label, because each new value would be a new time
 * series; the methods are those that Node's parser knows.
 */
@Injectable()
export class RequestMetrics {
  readonly requests: Histogram<'method' | 'route' | 'status' | 'completeness'>;
  readonly shed: Counter<'cause'>;

  constructor(private readonly registry: Registry) {
    this.requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of requests, by route template, status and completeness; 499 where the client disconnected',
      labelNames: ['method', 'route', 'status', 'completeness'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
    const help = 'Requests refused with 503, by cause: MAX_ACTIVE_REQUESTS in progress, or too many bytes unsent';
    this.shed = counter(registry, 'http_server_refused_requests_total', help, 'cause', OVERLOADS);
  }

  /** Registers gauges that read these values of the server whenever the metrics are collected. */
  show(server: { readonly active: number; readonly unsentBytes: number }): void {
    gauge(this.registry, 'http_server_active_requests', 'Active requests', () => server.active);
    const ofUnsent = 'Bytes of responses that are not sent completely';
    gauge(this.registry, 'http_server_unsent_bytes', ofUnsent, () => server.unsentBytes);
  }
}

/** Logs and measures every completed request and every client that disconnected, and ends their spans. */
export function observeRequests(
  fastify: FastifyInstance,
  metrics: RequestMetrics,
  log: LogDestination,
  level: number,
): void {
  const end = (request: FastifyRequest, ended: number): void => {
    const { span, isBroken } = request.record;
    const status = isBroken ? 500 : ended;
    const line = describe(request, status);
    const { completeness } = line;
    if (span !== undefined) endSpan(span, status, completeness, line.cause);
    const labels = { method: line.method, route: line.route, status, completeness: completeness ?? 'none' };
    metrics.requests.observe(labels, line.durationMs / 1000);
    if (line.level >= level) log.write(`${JSON.stringify(line)}\n`);
  };
  fastify.addHook('onResponse', (request, reply, done) => {
    // Node 20 reports a response that was cut off like one that was sent; the closed socket shows which it was.
    end(request, request.raw.socket.destroyed ? CLIENT_CLOSED_REQUEST : reply.statusCode);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    request.record.client.abort(CLIENT_DISCONNECTED);
    end(request, CLIENT_CLOSED_REQUEST);
    done();
  });
}

/**
 * The log line of a request, with the fields that pino writes. It is made here because each request would take 5 % more
 * time with pino (docs/decisions/0006-fast-paths.md). It contains no path or query parameter of the client (D39): of a
 * path it has only the template of the route.
 */
function describe(request: FastifyRequest, status: number) {
  const { method, id, record } = request;
  const { trace, clientName, problem, arrivedAt } = record;
  const { url, config } = record.route;
  // An error says nothing about the data of a result whose place it has taken.
  const data = status < 400 ? record.data : undefined;
  const completeness = data?.label;
  const causes = data === undefined ? record.causes : data.causes;
  const isBad = status >= 500 || completeness?.startsWith('complete') === false;
  return {
    // The numbers of pino: 40 is warn, 30 is info, 20 is debug. Probes come every few seconds, and fail on purpose
    // while the service starts or drains.
    level: config.purpose === 'management' ? 20 : isBad ? 40 : 30,
    time: Date.now(),
    pid: process.pid,
    hostname: HOSTNAME,
    method,
    route: url ?? 'unmatched',
    status,
    requestId: id,
    trace_id: trace.traceId,
    span_id: trace.spanId,
    client: clientName,
    completeness,
    problem: problem?.code,
    reason: problem?.reason,
    cause: causes && printCauses(causes),
    durationMs: Math.round((performance.now() - arrivedAt) * 1000) / 1000,
    msg: 'request',
  };
}
