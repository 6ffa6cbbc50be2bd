import { COMPLETE, type Completeness } from './query-result';
import { ResultReport } from './result-report';

const CUT_OFF: Completeness = { level: 'complete', limit: 5 };
const PARTIAL: Completeness = { level: 'partial', reason: 'bad-reply', dropped: 2 };
const STALE: Completeness = { level: 'stale', reason: 'upstream-timeout' };
const UNAVAILABLE: Completeness = { level: 'unavailable', reason: 'circuit-open' };
/** From the best to the worst. */
const LEVELS = [COMPLETE, CUT_OFF, PARTIAL, STALE, UNAVAILABLE];

const ROWS = LEVELS.flatMap((one, index) => LEVELS.slice(index).map((other) => [one, other] as const));

it.each(ROWS)('D83 of %j and %j, the second counts, in any order', (better, worse) => {
  for (const each of [
    [better, worse],
    [worse, better],
  ]) {
    const report = new ResultReport();
    for (const completeness of each) report.add({ completeness });
    expect(report.completeness).toBe(worse);
  }
});

it('D83 what a handler states counts, whatever is worse', () => {
  const report = new ResultReport();
  report.add({ completeness: UNAVAILABLE });
  report.state(PARTIAL);
  report.add({ completeness: UNAVAILABLE });
  expect([report.completeness, report.label]).toEqual([PARTIAL, 'partial;reason=bad-reply']);
});

it('D75 of several results, the oldest names its age', () => {
  const report = new ResultReport();
  for (const ageSeconds of [undefined, 3, 9, 4]) {
    report.add({
      completeness: COMPLETE,
      cache: { status: ageSeconds === undefined ? 'fwd=miss' : 'hit', ageSeconds },
    });
  }
  expect(report.cache).toEqual({ status: 'hit', ageSeconds: 9 });
});
