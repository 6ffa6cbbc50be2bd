import { Registry } from 'prom-client';
import { GatewayMetrics } from './gateway.metrics';

it('D25 waits for a slot are measured in seconds', async () => {
  const registry = new Registry();
  new GatewayMetrics(registry).queued(1500);
  expect(await registry.metrics()).toContain('external_shipping_queue_wait_seconds_sum 1.5');
});
