import { Injectable } from '@nestjs/common';
import { type Counter, Histogram, Registry } from 'prom-client';
import { counter, gauge, SECONDS_BUCKETS } from '../../observability/metrics/metrics.module';

const OVERLOADS = ['active-requests', 'unsent-bytes'] as const;
export type Overload = (typeof OVERLOADS)[number];

/** Metrics of requests. No value that a client sent is a label, because each new value would be a new time series. */
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
    const help =
      'Requests refused with 503: MAX_ACTIVE_REQUESTS in progress (active-requests), too many bytes unsent (unsent-bytes)';
    this.shed = counter(registry, 'http_server_refused_requests_total', help, 'cause', OVERLOADS);
  }

  /** Registers gauges that read these values of the server whenever the metrics are collected. */
  show(server: { readonly active: number; readonly unsentBytes: number }): void {
    gauge(this.registry, 'http_server_active_requests', 'Active requests', () => server.active);
    const ofUnsent = 'Bytes of responses that are not sent completely';
    gauge(this.registry, 'http_server_unsent_bytes', ofUnsent, () => server.unsentBytes);
  }
}
