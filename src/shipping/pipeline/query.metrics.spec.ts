import { ForbiddenException, Logger, NotImplementedException } from '@nestjs/common';
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
  const metrics = new QueryMetrics(registry, { slowQueryMs: 250 });
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

  describe('of slow queries', () => {
    let now: number;
    let logged: jest.SpyInstance;
    beforeEach(() => {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    });
    const taking =
      (durationMs: number, error?: Error): QueryExecutor =>
      () => {
        now += durationMs;
        return error === undefined ? Promise.resolve({ body: 'x', completeness: COMPLETE }) : Promise.reject(error);
      };

    it.each([
      ['logs one that took as long as the setting says', taking(250), [['SampleQuery took 250 ms (request REQ-1)']]],
      ['logs one that failed', taking(1000, new TypeError('x')), [['SampleQuery took 1000 ms (request REQ-1)']]],
      ['logs no faster one', taking(249.9), []],
    ])('%s', async (_, next, lines) => {
      await execute(next).catch(() => undefined);
      expect(logged.mock.calls).toEqual(lines);
    });

    it('logs none where it is switched off', async () => {
      const quiet = new QueryMetrics(new Registry(), { slowQueryMs: 0 });
      await quiet.wrap(SampleQuery, taking(1e6))(new SampleQuery('a', callContext()));
      expect(logged).not.toHaveBeenCalled();
    });
  });
});
