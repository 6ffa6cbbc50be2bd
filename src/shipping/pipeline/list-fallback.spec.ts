import { Logger } from '@nestjs/common';
import { callContext } from '../../../test/support/units';
import {
  ClientDisconnectedError,
  FAILURE_REASONS,
  UpstreamFailure,
  type FailureReason,
} from '../../resilience/upstream-failure';
import { COMPLETE } from '../model/query-result';
import { ExternalSystemFailure } from '../model/shipping-exceptions';
import { ShippingListQuery, ShippingQuery } from '../queries/shared/shipping-query';
import { ListFallback } from './list-fallback';
import type { QueryExecutor } from './query-behaviour';

class SampleListQuery extends ShippingListQuery<number, string[]> {
  emptyBody(): string[] {
    return [`nothing of ${this.params}`];
  }
}
class SampleQuery extends ShippingQuery<number, string> {}

const REASONS = FAILURE_REASONS.filter((reason): reason is Exclude<FailureReason, 'internal'> => reason !== 'internal');
/** Throws any value, also one that is no error. */
const failing =
  (error: unknown): QueryExecutor =>
  () =>
    Promise.resolve().then(() => {
      throw error;
    });

const fallback = new ListFallback({ listFailure: 'empty' });
const EMPTY = ['nothing of 7'];
const execute = (next: QueryExecutor, context = callContext()): Promise<unknown> =>
  fallback.wrap(SampleListQuery, next)(new SampleListQuery(7, context));

describe('ListFallback', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('returns the result', async () => {
    const result = { body: ['a'], completeness: COMPLETE };
    expect(await execute(() => Promise.resolve(result))).toBe(result);
  });

  it.each(REASONS)(
    'D20 %s gives the empty body with this reason and the report of the cache, without a log line',
    async (reason) => {
      const cache = { status: 'fwd=miss' };
      const failure = new ExternalSystemFailure(new UpstreamFailure(reason, 'x'), cache);
      expect(await execute(failing(failure))).toEqual({
        body: EMPTY,
        completeness: { level: 'unavailable', reason },
        cache,
      });
      expect(logged).not.toHaveBeenCalled();
    },
  );

  it.each([[new TypeError('hidden')], ['hidden'], [undefined]])(
    'failure behaviour 3: %p is internal, and logged without its message',
    async (error) => {
      expect(await execute(failing(error))).toEqual({
        body: EMPTY,
        completeness: { level: 'unavailable', reason: 'internal' },
      });
      expect(logged).toHaveBeenCalledTimes(1);
      expect(JSON.stringify(logged.mock.calls)).not.toContain('hidden');
    },
  );

  it('leaves other queries alone', () => {
    const next = failing(new TypeError('odd'));
    expect(fallback.wrap(SampleQuery, next)).toBe(next);
  });

  it.each([new ExternalSystemFailure(new UpstreamFailure('saturated', 'x')), new TypeError('odd')])(
    'D21 a strict client gets the failure: %p',
    async (error) => {
      await expect(execute(failing(error), callContext({ strict: true }))).rejects.toBe(error);
    },
  );

  describe('LIST_FAILURE=error', () => {
    const failures = new ListFallback({ listFailure: 'error' });
    const fail = (error: unknown): Promise<unknown> =>
      failures.wrap(SampleListQuery, failing(error))(new SampleListQuery(7, callContext()));

    it('D21 every client gets the failure, with the report of the cache', async () => {
      const cache = { status: 'fwd=miss' };
      const failure = new ExternalSystemFailure(new UpstreamFailure('saturated', 'x', 7), cache);
      const thrown = await fail(failure).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ExternalSystemFailure);
      expect(thrown).toMatchObject({ reason: 'saturated', retryAfterMs: 7, cache, forEveryClient: true });
    });

    it.each([new TypeError('odd'), new ClientDisconnectedError()])('other errors stay: %p', async (error) => {
      await expect(fail(error)).rejects.toBe(error);
    });

    it('leaves results and other queries alone', async () => {
      const next: QueryExecutor = () => Promise.resolve({ body: ['a'], completeness: COMPLETE });
      expect(failures.wrap(SampleQuery, next)).toBe(next);
      expect(await failures.wrap(SampleListQuery, next)(new SampleListQuery(7, callContext()))).toEqual(await next(null as never)); // prettier-ignore
    });
  });

  it('a client that disconnected gets no empty body', async () => {
    const disconnected = new ClientDisconnectedError();
    await expect(execute(failing(disconnected))).rejects.toBe(disconnected);
    expect(logged).not.toHaveBeenCalled();
  });
});
