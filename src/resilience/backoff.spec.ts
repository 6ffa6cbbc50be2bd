import { backoff } from './backoff';

it.each<[retry: number, random: number, retryAfterMs: number | undefined, ms: number]>([
  [0, 0.5, undefined, 50],
  [1, 0.5, undefined, 100],
  [2, 0.5, undefined, 200],
  [4, 0.5, undefined, 500],
  [2000, 0.5, undefined, 500],
  [3, 0, undefined, 0],
  [0, 0.5, 3000, 3000],
  [0, 0.5, 0, 50],
  [0, 0.5, -1, 50],
])('backoff: retry %d waits a share of %d, at least %p: %d ms', (retry, random, retryAfterMs, ms) => {
  expect(backoff(retry, random, retryAfterMs)).toBe(ms);
});
