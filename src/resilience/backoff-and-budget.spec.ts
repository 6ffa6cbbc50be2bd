import fc from 'fast-check';
import { backoff, RetryBudget } from './backoff-and-budget';
import { RollingCount } from './rolling-count';

describe('backoff', () => {
  it.each([
    [0, 0.5, 50],
    [1, 0.5, 100],
    [2, 0.5, 200],
    [4, 0.5, 500],
    [2000, 0.5, 500],
    [3, 0, 0],
  ])('waits a random share of the doubled base, capped (retry %d, random %d)', (retry, random, expected) => {
    expect(backoff(retry, random)).toBe(expected);
  });

  it('waits no less than the external system asked for', () => {
    expect(backoff(0, 0.5, 3000)).toBe(3000);
    expect(backoff(0, 0.5, 0)).toBe(50);
    expect(backoff(0, 0.5, -1)).toBe(50);
  });
});

function take(budget: RetryBudget, times: number, now: number): number {
  return Array.from({ length: times }, () => budget.tryTake(now)).filter(Boolean).length;
}

describe('RetryBudget', () => {
  it('keeps retries within ratio · calls, or the minimum, in the window before every retry and in the long run', () => {
    const step = fc.record({ pause: fc.oneof(fc.nat(20), fc.nat(3000)), calls: fc.nat(40), retries: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const counted = new RollingCount();
        const budget = new RetryBudget(counted);
        const calls: number[] = [];
        const retries: number[] = [];
        let now = 0;
        for (const { pause, calls: made, retries: asked } of steps) {
          now += pause;
          const second = Math.floor(now / 1000);
          for (let call = 0; call < made; call += 1) {
            counted.add(now);
            calls.push(second);
          }
          const within = (times: number[]): number => times.filter((time) => time > second - 10).length;
          const left = Math.floor(Math.max(3, 0.2 * within(calls) + 1e-9)) - within(retries);
          expect(take(budget, asked, now)).toBe(Math.min(asked, Math.max(0, left)));
          retries.push(...new Array<number>(Math.min(asked, Math.max(0, left))).fill(second));
        }
        const windows = Math.ceil((now + 1) / 10_000) + 1;
        expect(retries.length).toBeLessThanOrEqual(0.2 * calls.length + 3 * windows);
      }),
    );
  });
});
