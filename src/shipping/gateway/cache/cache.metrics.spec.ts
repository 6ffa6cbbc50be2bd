import { Registry } from 'prom-client';
import { samplesOf } from '../../../../test/support/metrics';
import { CacheMetrics } from './cache.metrics';

describe('CacheMetrics', () => {
  it('D25 counts calls by result, and failures of the shared store from zero', async () => {
    const registry = new Registry();
    const metrics = new CacheMetrics(registry);
    metrics.served('paged', 'hit');
    metrics.served('paged', 'hit');
    metrics.served('single', 'stale');
    metrics.storeFailed('write');
    expect(await samplesOf(registry, 'shipping_cache_requests_total')).toEqual([
      'shipping_cache_requests_total{operation="paged",result="hit"} 2',
      'shipping_cache_requests_total{operation="single",result="stale"} 1',
    ]);
    expect(await samplesOf(registry, 'shipping_cache_store_failures_total')).toEqual([
      'shipping_cache_store_failures_total{failure="read"} 0',
      'shipping_cache_store_failures_total{failure="write"} 1',
      'shipping_cache_store_failures_total{failure="entry"} 0',
    ]);
  });
});
