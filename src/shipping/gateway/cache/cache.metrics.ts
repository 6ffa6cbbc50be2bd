import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { counter } from '../../../observability/metrics/metrics.module';

const STORE_FAILURES = ['read', 'write', 'entry'] as const;
export type StoreFailure = (typeof STORE_FAILURES)[number];

/** Counts requests that the cache served or missed, and failures of the shared store. */
@Injectable()
export class CacheMetrics {
  readonly requests: Counter<'operation' | 'result'>;
  readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'shipping_cache_requests_total',
      help: 'Requests served with the cache, by operation and result: hit, miss or stale',
      labelNames: ['operation', 'result'],
      registers: [registry],
    });
    const help = 'Failed reads and writes of the shared store, and invalid entries';
    this.failures = counter(registry, 'shipping_cache_store_failures_total', help, 'failure', STORE_FAILURES);
  }
}
