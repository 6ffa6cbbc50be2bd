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
