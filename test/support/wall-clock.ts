/**
 * Stops `Date` until `jest.useRealTimers()`; `jest.setSystemTime` moves it. Timers and `performance.now()` still go by
 * the time of the machine.
 */
export function holdWallClock(): void {
  jest.useFakeTimers({
    doNotFake: [
      ...(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'] as const),
      ...(['nextTick', 'queueMicrotask', 'hrtime', 'performance'] as const),
    ],
  });
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
