import { backoff } from './backoff';

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
