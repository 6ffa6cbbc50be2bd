import { Logger } from '@nestjs/common';
import { callContext } from '../../../test/support/units';
import { CallerLeft } from '../gateway/policy/caller-left';
import { COMPLETE, INCOMPLETENESS_REASONS, type IncompletenessReason } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import { ShippingListQuery, ShippingQuery } from '../queries/shipping-query';
import { ListFallback } from './list-fallback';
import type { Ask } from './query-behaviour';

class SampleListQuery extends ShippingListQuery<number, string[]> {
  emptyBody(): string[] {
    return [`nothing of ${this.params}`];
  }
}
class SampleQuery extends ShippingQuery<number, string> {}

const REASONS = INCOMPLETENESS_REASONS.filter(
  (reason): reason is Exclude<IncompletenessReason, 'internal'> => reason !== 'internal',
);
/** Throws whatever it is given, also what is no error. */
const failing =
  (error: unknown): Ask =>
  () =>
    Promise.resolve().then(() => {
      throw error;
    });

const EMPTY = ['nothing of 7'];
const ask = (next: Ask, context = callContext()): Promise<unknown> =>
  new ListFallback().around(SampleListQuery, next)(new SampleListQuery(7, context));

describe('ListFallback', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hands over the answer', async () => {
    const answer = { body: ['a'], completeness: COMPLETE };
    expect(await ask(() => Promise.resolve(answer))).toBe(answer);
  });

  it.each(REASONS)('D20 becomes the empty body with the reason %s, silently', async (reason) => {
    expect(await ask(failing(new ExternalSystemFailure(reason, 'x')))).toEqual({
      body: EMPTY,
      completeness: { level: 'unavailable', reason },
    });
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([[new TypeError('hidden')], ['hidden'], [undefined]])(
    'failure behaviour 3: %p is internal, and logged without its message',
    async (error) => {
      expect(await ask(failing(error))).toEqual({
        body: EMPTY,
        completeness: { level: 'unavailable', reason: 'internal' },
      });
      expect(logged).toHaveBeenCalledTimes(1);
      expect(JSON.stringify(logged.mock.calls)).not.toContain('hidden');
    },
  );

  it('is no part of the pipeline of other queries', () => {
    const next = failing(new TypeError('odd'));
    expect(new ListFallback().around(SampleQuery, next)).toBe(next);
  });

  it.each([new ExternalSystemFailure('saturated', 'x'), new TypeError('odd')])(
    'D21 a strict caller gets the failure: %p',
    async (error) => {
      await expect(ask(failing(error), callContext({ strict: true }))).rejects.toBe(error);
    },
  );

  it('a caller who left gets nothing made up', async () => {
    const left = new CallerLeft();
    await expect(ask(failing(left))).rejects.toBe(left);
    expect(logged).not.toHaveBeenCalled();
  });
});
