import * as fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { thrownBy } from '../../test/support/units';
import { LabelledHistogram } from './labelled-histogram';

const BUCKETS = [0.5, 1, 2];
const OPTIONS = { name: 'a_seconds', help: 'About a', buckets: BUCKETS };

describe('LabelledHistogram', () => {
  const sorted = (text: string): string[] => text.split('\n').filter((line) => line !== '').sort(); // prettier-ignore

  it('exposes what the histogram of prom-client does, whatever is observed', async () => {
    const observation = fc.record({
      first: fc.constantFrom('x', 'y', 'with "quotes" and \\'),
      second: fc.constantFrom(200, 404, 500),
      value: fc.oneof(fc.constantFrom(0, ...BUCKETS, 2.000001), fc.integer({ min: 0, max: 100 })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const labelNames = ['first', 'second'];
        const [theirs, ours] = [new Registry(), new Registry()];
        const expected = new Histogram({ ...OPTIONS, labelNames, registers: [theirs] });
        const histogram = new LabelledHistogram({ ...OPTIONS, labelNames, registers: [ours] });
        for (const { first, second, value } of observations) {
          expected.observe({ first, second }, value);
          histogram.observe(value, first, second);
        }
        expect(sorted(await ours.metrics())).toEqual(sorted(await theirs.metrics()));
        expect(sorted(await ours.getSingleMetricAsString('a_seconds'))).toEqual(sorted(await theirs.metrics()));
      }),
    );
  });

  it('forgets', async () => {
    const registry = new Registry();
    const histogram = new LabelledHistogram({ ...OPTIONS, labelNames: ['first'], registers: [registry] });
    histogram.observe(1, 'x');
    registry.resetMetrics();
    expect(await registry.metrics()).not.toContain('x');
    histogram.observe(1, 'x');
    expect(await registry.metrics()).toContain('a_seconds_count{first="x"} 1');
  });

  it('wants a value for each label', () => {
    const histogram = new LabelledHistogram({ ...OPTIONS, labelNames: ['first', 'second'], registers: [] });
    expect(thrownBy(() => { histogram.observe(1, 'x'); })).toBeInstanceOf(Error); // prettier-ignore
    expect(thrownBy(() => { histogram.observe(1, 'x', 'y', 'z'); })).toBeInstanceOf(Error); // prettier-ignore
  });

  it('has a name that nothing else in its registry may have', () => {
    const registers = [new Registry()];
    new LabelledHistogram({ ...OPTIONS, labelNames: [], registers });
    expect(() => new Histogram({ ...OPTIONS, registers })).toThrow('a_seconds');
  });
});
