import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';

export type CacheResult = 'hit' | 'miss' | 'stale';

const STORE_FAILURES = ['read', 'write', 'entry'] as const;
export type StoreFailure = (typeof STORE_FAILURES)[number];

/** Counts requests that the cache served or missed, and failures of the shared store. */
@Injectable()
export class CacheMetrics {
  readonly requests: Counter<'operation' | 'result'>;
  readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requests = new Counter({
      name: 'shipping_cache_requests_total',
      help: 'Requests served with the cache, by operation and result: hit, miss or stale',
      labelNames: ['operation', 'result'],
      registers,
    });
    this.failures = new Counter({
      name: 'shipping_cache_store_failures_total',
      help: 'Failed reads and writes of the shared store, and invalid entries',
      labelNames: ['failure'],
      registers,
    });
    // A rate needs a first value: without these, alerts would miss the first failure.
    for (const failure of STORE_FAILURES) this.failures.inc({ failure }, 0);
  }
}
