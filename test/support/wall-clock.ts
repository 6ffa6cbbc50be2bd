/**
 * Lets the tests of a suite stop `Date` until their end by the returned function; `jest.setSystemTime` moves it. Timers
 * and `performance.now()` still go by the time of the machine.
 */
export function useHeldDate(): () => void {
  const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  const others = ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'hrtime', 'performance'] as const;
  afterEach(() => {
    jest.useRealTimers();
  });
  return () => {
    jest.useFakeTimers({ doNotFake: [...timers, ...others] });
  };
}

/** Lets the tests of a suite move `Date.now()` forward, which goes on by the time of the machine. Returns what moves it. */
export function useMovedDate(): (ms: number) => void {
  let aheadMs = 0;
  beforeEach(() => {
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
  });
  return (ms) => {
    aheadMs += ms;
  };
}
