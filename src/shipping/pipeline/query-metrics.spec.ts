import { callContext, thrownBy } from '../../../test/support/units';
import { Metrics } from '../../metrics/metrics';
import { CallerLeft } from '../gateway/policy/caller-left';
import { COMPLETE, COMPLETENESS_LEVELS, INCOMPLETENESS_REASONS, PARTIAL, type Completeness } from '../model/completeness'; // prettier-ignore
import { ExternalSystemFailure } from '../model/external-system-failure';
import { ShippingNotFound } from '../queries/shipping-not-found';
import { ShippingQuery } from '../queries/shipping-query';
import type { Ask } from './query-behaviour';
import { QueryMetrics } from './query-metrics';

class SampleQuery extends ShippingQuery<string, string> {}

describe('QueryMetrics', () => {
  const metrics = new Metrics();
  beforeEach(() => {
    metrics.registry.resetMetrics();
  });
  const ask = (next: Ask): Promise<unknown> =>
    new QueryMetrics(metrics).around(SampleQuery, next)(new SampleQuery('secret-term', callContext()));
  const figures = (): Promise<string> => metrics.registry.getSingleMetricAsString('shipping_query_duration_seconds');
  const counted = (outcome: string): string =>
    `shipping_query_duration_seconds_count{query="SampleQuery",outcome="${outcome}"} 1`;

  it.each<Completeness>([COMPLETE, PARTIAL, { level: 'unavailable', reason: 'saturated' }])(
    'counts an answer by how complete it is, and hands it over: $level',
    async (completeness) => {
      const answer = { body: 'secret-term', completeness };
      expect(await ask(() => Promise.resolve(answer))).toBe(answer);
      expect(await figures()).toContain(counted(completeness.level));
      expect(await figures()).not.toContain('secret-term');
      expect(COMPLETENESS_LEVELS).toContain(completeness.level);
    },
  );

  it.each([
    ...INCOMPLETENESS_REASONS.filter((reason) => reason !== 'internal').map((reason) => [reason, new ExternalSystemFailure(reason, 'x')] as const), // prettier-ignore
    ['not-found', new ShippingNotFound()],
    ['caller-left', new CallerLeft()],
    ['internal', new TypeError('secret-term')],
    ['internal', thrownBy(() => JSON.parse('{'))],
  ] as const)('counts a failure as %s, and lets it pass', async (outcome, error) => {
    await expect(ask(() => Promise.reject(error as Error))).rejects.toBe(error);
    expect(await figures()).toContain(counted(outcome));
    expect(await figures()).not.toContain('secret-term');
  });
});
