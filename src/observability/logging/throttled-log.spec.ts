import { useLoggedLines } from '../../../test/support/logged-lines';
import { useMonotonicClock } from '../../../test/support/monotonic-clock';
import { usedHeap } from '../../../test/support/used-heap';
import { ThrottledLog } from './throttled-log';

describe('D81 the log of failures', () => {
  const clock = useMonotonicClock();
  const lines = useLoggedLines();

  it('names a sentence at once, then at most once a minute with the number of times since', () => {
    clock.stop();
    const log = new ThrottledLog('Test');
    for (let i = 0; i < 5; i += 1) log.failed('status 503');
    log.failed('status 500', 3);
    expect(lines.splice(0)).toEqual(['status 503', 'status 500 (3 times)']);
    for (const passed of [59_999, 1]) {
      clock.advance(passed);
      log.failed('status 503');
    }
    expect(lines).toEqual(['status 503 (6 times)']);
  });

  it('names the end of failures, once and only after a line about one', () => {
    const log = new ThrottledLog('Test');
    log.recovered('works again');
    log.failed('status 503');
    log.recovered('works again');
    clock.advance(60_001);
    log.recovered('works again');
    expect(lines).toEqual(['status 503', 'works again']);
  });

  it('holds a hundred sentences; further ones share a line, until there is room again', () => {
    const log = new ThrottledLog('Test');
    const fail = (from: number): void => {
      for (let i = from; i < from + 1000; i += 1) log.failed(`status ${i}`);
    };
    fail(0);
    const others = 'Further failures, too many to name each';
    log.failed('status 0');
    expect(lines.splice(0).slice(98)).toEqual(['status 98', 'status 99', others]);
    clock.advance(60_001);
    log.failed('status 0');
    fail(1000);
    expect(lines).toHaveLength(101);
    expect([lines[0], ...lines.slice(99)]).toEqual(['status 0 (2 times)', 'status 1098', others]);
  });

  it('D76 what it remembers of sentences does not grow with their length', () => {
    const log = new ThrottledLog('Test');
    const before = usedHeap();
    for (let index = 0; index < 100; index += 1) log.failed(`${index} ${'x'.repeat(100_000)}`.toUpperCase());
    expect(lines.splice(0)).toHaveLength(100);
    // The spies have kept the lines, too.
    jest.clearAllMocks();
    expect(usedHeap() - before).toBeLessThan(1_000_000);
    log.failed('another one');
    expect(lines).toEqual(['Further failures, too many to name each']);
  });
});
