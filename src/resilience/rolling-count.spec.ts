import fc from 'fast-check';
import { RollingCount } from './rolling-count';

describe('RollingCount', () => {
  it('counts what happened within the window, to a tenth of it', () => {
    const count = new RollingCount(1000);
    count.add(0);
    count.add(99);
    count.add(100);
    expect(count.total(999)).toBe(3);
    expect(count.total(1000)).toBe(1);
    expect(count.total(1099)).toBe(1);
    expect(count.total(1100)).toBe(0);
  });

  it('agrees with a list of times, whatever the pauses', () => {
    const pauses = fc.array(fc.oneof(fc.nat(30), fc.nat(300), fc.nat(5000)), { maxLength: 100 });
    fc.assert(
      fc.property(pauses, (steps) => {
        const count = new RollingCount(1000);
        const buckets: number[] = [];
        let now = 0;
        for (const step of steps) {
          now += step;
          const bucket = Math.floor(now / 100);
          expect(count.total(now)).toBe(buckets.filter((other) => other > bucket - 10).length);
          count.add(now);
          buckets.push(bucket);
        }
      }),
    );
  });
});
