import fc from 'fast-check';
import { backoff } from './backoff';

const settings = { baseMs: 100, capMs: 1000 };

describe('backoff', () => {
  it.each([
    [0, 0.5, 50],
    [1, 0.5, 100],
    [2, 0.5, 200],
    [4, 0.5, 500],
    [2000, 0.5, 500],
    [3, 0, 0],
  ])('waits a random share of the doubled base, capped (retry %d, random %d)', (retry, random, expected) => {
    expect(backoff(settings, retry, random)).toBe(expected);
  });

  it('waits no less than the external system asked for', () => {
    expect(backoff(settings, 0, 0.5, 3000)).toBe(3000);
    expect(backoff(settings, 0, 0.5, 0)).toBe(50);
    expect(backoff(settings, 0, 0.5, -1)).toBe(50);
  });

  it('is never negative and never above the cap', () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (retry, random) => {
        const wait = backoff(settings, retry, random);
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(settings.capMs);
      }),
    );
  });
});
