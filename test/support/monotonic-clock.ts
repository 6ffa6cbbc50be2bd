/**
 * Lets the tests of a suite move `performance.now()` forward. Timers are not moved: they go by the time of the machine.
 */
export function useMonotonicClock(): {
  readonly advance: (ms: number) => void;
  /** Stops the clock until the end of the test, however slow the machine is; `advance` still moves it. */
  readonly stop: () => void;
} {
  let aheadMs = 0;
  let stoppedAt: number | undefined;
  beforeEach(() => {
    stoppedAt = undefined;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => (stoppedAt ?? now()) + aheadMs);
  });
  return {
    advance: (ms) => {
      aheadMs += ms;
    },
    stop: () => {
      // Whole milliseconds, so that differences are exact.
      stoppedAt = Math.round(performance.now() - aheadMs);
    },
  };
}
