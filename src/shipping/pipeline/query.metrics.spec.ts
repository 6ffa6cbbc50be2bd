import { ForbiddenException, NotImplementedException } from '@nestjs/common';
import { Registry } from 'prom-client';
import { callContext, thrownBy } from '../../../test/support/units';
import { ClientDisconnectedError, FAILURE_REASONS, UpstreamFailure } from '../../resilience/upstream-failure';
import { COMPLETE, COMPLETENESS_LEVELS, PARTIAL, type Completeness } from '../model/query-result';
import { ShippingNotFoundException } from '../model/shipping-exceptions';
import { ShippingQuery } from '../queries/shared/shipping-query';
import type { QueryExecutor } from './query-behaviour';
import { QueryMetrics } from './query.metrics';

class SampleQuery extends ShippingQuery<string, string> {}

describe('QueryMetrics', () => {
  const registry = new Registry();
  const metrics = new QueryMetrics(registry);
  beforeEach(() => {
    registry.resetMetrics();
  });
  const execute = (next: QueryExecutor): Promise<unknown> =>
    metrics.wrap(SampleQuery, next)(new SampleQuery('secret-term', callContext()));
  const text = (): Promise<string> => registry.getSingleMetricAsString('shipping_query_duration_seconds');
  const counted = (outcome: string): string =>
    `shipping_query_duration_seconds_count{query="SampleQuery",outcome="${outcome}"} 1`;

  it.each<Completeness>([COMPLETE, PARTIAL, { level: 'unavailable', reason: 'saturated' }])(
    'counts a result by its completeness, and returns it: $level',
    async (completeness) => {
      const result = { body: 'secret-term', completeness };
      expect(await execute(() => Promise.resolve(result))).toBe(result);
      expect(await text()).toContain(counted(completeness.level));
      expect(await text()).not.toContain('secret-term');
      expect(COMPLETENESS_LEVELS).toContain(completeness.level);
    },
  );

  it.each([
    ...FAILURE_REASONS.filter((reason) => reason !== 'internal').map((reason) => [reason, new UpstreamFailure(reason, 'x')] as const), // prettier-ignore
    ['not-found', new ShippingNotFoundException()],
    ['refused', new ForbiddenException()],
    ['internal', new NotImplementedException()],
    ['caller-left', new ClientDisconnectedError()],
    ['internal', new TypeError('secret-term')],
    ['internal', thrownBy(() => JSON.parse('{'))],
  ] as const)('counts a failure as %s, and throws it', async (outcome, error) => {
    await expect(execute(() => Promise.reject(error as Error))).rejects.toBe(error);
    expect(await text()).toContain(counted(outcome));
    expect(await text()).not.toContain('secret-term');
  });
});
