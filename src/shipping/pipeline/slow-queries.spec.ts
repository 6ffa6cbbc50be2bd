import { Logger } from '@nestjs/common';
import { callContext } from '../../../test/support/units';
import { readSettings } from '../../config/settings';
import { COMPLETE } from '../model/completeness';
import { ShippingQuery } from '../queries/shared/shipping-query';
import type { QueryExecutor } from './query-behaviour';
import { SlowQueries } from './slow-queries';

class SampleQuery extends ShippingQuery<string, string> {}

const ANSWER = { body: 'secret-term', completeness: COMPLETE };

describe('SlowQueries', () => {
  let now = 0;
  let logged: jest.SpyInstance;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const around = (env: NodeJS.ProcessEnv, next: QueryExecutor): QueryExecutor =>
    new SlowQueries(readSettings(env)).wrap(SampleQuery, next);
  const taking =
    (durationMs: number): QueryExecutor =>
    () => {
      now += durationMs;
      return Promise.resolve(ANSWER);
    };
  const ask = (asking: QueryExecutor): Promise<unknown> => asking(new SampleQuery('secret-term', callContext()));

  it('tells of a query that took as long as the setting says, by name, time and request id alone', async () => {
    expect(await ask(around({ SLOW_QUERY_MS: '250' }, taking(250)))).toBe(ANSWER);
    expect(logged.mock.calls).toEqual([['SampleQuery took 250 ms (request REQ-1)']]);
  });

  it('says nothing of a faster one', async () => {
    await ask(around({ SLOW_QUERY_MS: '250' }, taking(249.9)));
    expect(logged).not.toHaveBeenCalled();
  });

  it('tells of one that failed, and lets the failure pass', async () => {
    const error = new TypeError('secret-term');
    const failing = around({}, async (query) => {
      await taking(1000)(query);
      throw error;
    });
    await expect(ask(failing)).rejects.toBe(error);
    expect(logged.mock.calls).toEqual([['SampleQuery took 1000 ms (request REQ-1)']]);
  });

  it('is no part of the pipeline where it is switched off', () => {
    const next = taking(1e6);
    expect(around({ SLOW_QUERY_MS: '0' }, next)).toBe(next);
  });
});
