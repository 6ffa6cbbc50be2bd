import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { gauge, SECONDS_BUCKETS } from '../observability/metrics/instruments';
import type { CompletedRequest } from './completed-request';

/** The methods of RFC 9110 and RFC 5789; all others share one label. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH']);

/** Metrics of requests. Labels are bounded: no value of a client is one. */
@Injectable()
export class RequestMetrics {
  private readonly requests: Histogram<'method' | 'route' | 'status' | 'completeness'>;

  constructor(private readonly registry: Registry) {
    this.requests = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of requests, by route template, status and completeness; 499 where the client disconnected',
      labelNames: ['method', 'route', 'status', 'completeness'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
  }

  /** Registers a gauge of the active requests. */
  showActiveRequests(count: () => number): void {
    gauge(this.registry, 'http_server_active_requests', 'Active requests', count);
  }

  requestCompleted({ method, route, status, completeness = 'none', durationMs }: CompletedRequest): void {
    const known = METHODS.has(method) ? method : '_OTHER';
    this.requests.observe({ method: known, route, status, completeness }, durationMs / 1000);
  }
}
