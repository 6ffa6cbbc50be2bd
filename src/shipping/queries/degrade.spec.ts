import { Logger } from '@nestjs/common';
import { callContext } from '../../../test/support/units';
import { CallerLeft } from '../gateway/policy/caller-left';
import { COMPLETE, INCOMPLETENESS_REASONS, type IncompletenessReason } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import { orEmpty } from './degrade';
import { ShippingListQuery } from './shipping-query';

class SampleQuery extends ShippingListQuery<string[]> {
  constructor(readonly context = callContext()) {
    super();
  }

  emptyBody(): string[] {
    return [];
  }
}

const REASONS = INCOMPLETENESS_REASONS.filter(
  (reason): reason is Exclude<IncompletenessReason, 'internal'> => reason !== 'internal',
);
/** Throws whatever it is given, also what is no error. */
const failing = (error: unknown) => (): Promise<never> =>
  Promise.resolve().then(() => {
    throw error;
  });

describe('orEmpty', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('hands over the answer', async () => {
    const answer = { body: ['a'], completeness: COMPLETE };
    expect(await orEmpty(new SampleQuery(), () => Promise.resolve(answer))).toBe(answer);
  });

  it.each(REASONS)('D20 becomes the empty body with the reason %s, silently', async (reason) => {
    expect(await orEmpty(new SampleQuery(), failing(new ExternalSystemFailure(reason, 'x')))).toEqual({
      body: [],
      completeness: { level: 'unavailable', reason },
    });
    expect(logged).not.toHaveBeenCalled();
  });

  it.each([[new TypeError('hidden')], ['hidden'], [undefined]])(
    'failure behaviour 3: %p is internal, and logged without its message',
    async (error) => {
      expect(await orEmpty(new SampleQuery(), failing(error))).toEqual({
        body: [],
        completeness: { level: 'unavailable', reason: 'internal' },
      });
      expect(logged).toHaveBeenCalledTimes(1);
      expect(JSON.stringify(logged.mock.calls)).not.toContain('hidden');
    },
  );

  it('failure behaviour 3: what is thrown at once is the same', async () => {
    const ask = (): never => {
      throw new Error('odd');
    };
    expect((await orEmpty(new SampleQuery(), ask)).completeness).toEqual({ level: 'unavailable', reason: 'internal' });
  });

  it.each([new ExternalSystemFailure('saturated', 'x'), new TypeError('odd')])(
    'D21 a strict caller gets the failure: %p',
    async (error) => {
      await expect(orEmpty(new SampleQuery(callContext({ strict: true })), failing(error))).rejects.toBe(error);
    },
  );

  it('a caller who left gets nothing made up', async () => {
    const left = new CallerLeft();
    await expect(orEmpty(new SampleQuery(), failing(left))).rejects.toBe(left);
    expect(logged).not.toHaveBeenCalled();
  });
});
