import * as fc from 'fast-check';
import { readDirectives } from './request-directives';

describe('readDirectives', () => {
  it.each([
    [undefined, Infinity, true],
    ['', Infinity, true],
    ['no-cache', 0, true],
    ['No-Cache', 0, true],
    ['no-store', Infinity, false],
    ['no-cache, no-store', 0, false],
    ['max-age=0', 0, true],
    ['max-age=60', 60_000, true],
    ['max-age="60"', 60_000, true],
    ['max-age=60, max-age=5', 5000, true],
    ['no-cache, max-age=60', 0, true],
    ['max-age', 0, true],
    ['max-age=soon', 0, true],
    ['max-age=-1', 0, true],
    [' , only-if-cached,\tmax-stale=5 , no-cache', 0, true],
    ['private="no-cache", x', Infinity, true],
    ['x-no-cache', Infinity, true],
    ['no-cached', Infinity, true],
    ['@ no-cache', Infinity, true],
  ])('RFC 9111 %j', (header, maxAgeMs, store) => {
    expect(readDirectives(header)).toEqual({ maxAgeMs, store });
  });

  it('never throws, and never allows more than without the header', () => {
    const words = fc.constantFrom('no-cache', 'max-age', 'no-store', '=', ',', ' ', '"', '5', ';', '\\');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words).map((all) => all.join('')),
        ),
        (header) => {
          const { maxAgeMs, store } = readDirectives(header);
          expect(maxAgeMs).toBeGreaterThanOrEqual(0);
          expect(typeof store).toBe('boolean');
        },
      ),
    );
  });
});
