import { RetryBudget } from './rolling-count';

it.each([
  { calls: 0, retries: 3 },
  { calls: 19, retries: 3 },
  { calls: 20, retries: 4 },
  { calls: 100, retries: 20 },
])('RetryBudget: $retries retries beside $calls calls in 10 s', ({ calls, retries }) => {
  const budget = new RetryBudget();
  const taken = (now: number): number => Array.from({ length: 50 }, () => budget.tryTake(now)).filter(Boolean).length;
  for (let call = 0; call < calls; call += 1) budget.calls.add(999);
  expect([taken(999), taken(9999)]).toEqual([retries, 0]);
  // The calls and retries of the first second count no more.
  expect(taken(10_000)).toBe(3);
});
