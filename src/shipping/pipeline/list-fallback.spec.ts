import { Logger } from '@nestjs/common';
import { callContext } from '../../../test/support/units';
import { ShippingListQuery, ShippingQuery } from '../queries/shared/shipping-query';
import { ListFallback } from './list-fallback';
import type { QueryExecutor } from './query-behaviour';

class SampleListQuery extends ShippingListQuery<number, string[]> {
  emptyBody(): string[] {
    return [`nothing of ${this.params}`];
  }
}
class SampleQuery extends ShippingQuery<number, string> {}

/** Throws any value, also one that is no error. */
const failing =
  (error: unknown): QueryExecutor =>
  () =>
    Promise.resolve().then(() => {
      throw error;
    });

const fallback = new ListFallback();
const EMPTY = ['nothing of 7'];
const execute = (next: QueryExecutor, context = callContext()): Promise<unknown> =>
  fallback.wrap(SampleListQuery, next)(new SampleListQuery(7, context));

describe('ListFallback', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });

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
});
