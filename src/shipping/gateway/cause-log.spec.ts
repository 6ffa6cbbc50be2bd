import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { COMPLETE } from '../model/query-result';
import { CauseLog } from './cause-log';
import { GatewayMetrics } from './gateway.metrics';

it('D81 each part of a cause is counted in a line of its own', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const cause = '2 records without an Id, TotalWeight: text (3)';
  const completeness = { level: 'partial', reason: 'bad-reply', cause } as const;
  await new CauseLog().observe('paged', Promise.resolve({ body: [], completeness }));
  await new CauseLog().observe('paged', Promise.resolve({ body: [], completeness: COMPLETE }));
  const line = 'The external system sends malformed values: paged:';
  expect(warn.mock.calls).toEqual([
    [`${line} records without an Id (2 times)`],
    [`${line} TotalWeight: text (3 times)`],
  ]);
});

it('D25 waits for a slot are measured in seconds', async () => {
  const registry = new Registry();
  new GatewayMetrics(registry).queued(1500);
  expect(await registry.metrics()).toContain('external_shipping_queue_wait_seconds_sum 1.5');
});
