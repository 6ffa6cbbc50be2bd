import { Registry } from 'prom-client';
import { samplesOf } from '../../test/support/metrics';
import { AccessMetrics } from './access.metrics';

describe('AccessMetrics', () => {
  it('D25 counts failures from zero', async () => {
    const registry = new Registry();
    const metrics = new AccessMetrics(registry);
    metrics.failed('keys');
    expect(await samplesOf(registry, 'shipping_guard_failures_total')).toEqual([
      'shipping_guard_failures_total{failure="limit"} 0',
      'shipping_guard_failures_total{failure="keys"} 1',
    ]);
  });
});
