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

it.each([
  { calls: 0, retries: 3 },
  { calls: 19, retries: 3 },
  { calls: 20, retries: 4 },
  { calls: 100, retries: 20 },
])('RetryBudget: $retries retries beside $calls calls in 10 s', ({ calls, retries }) => {
  const counted = new RollingCount();
  const budget = new RetryBudget(counted);
  const taken = (now: number): number => Array.from({ length: 50 }, () => budget.tryTake(now)).filter(Boolean).length;
  for (let call = 0; call < calls; call += 1) counted.add(999);
  expect([taken(999), taken(9999)]).toEqual([retries, 0]);
  // The calls and retries of the first second count no more.
  expect(taken(10_000)).toBe(3);
});
