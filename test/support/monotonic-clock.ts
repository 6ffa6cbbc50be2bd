/**
 * Lets the tests of a suite move `performance.now()` forward. Timers are not moved: they go by the time of the machine.
 */
export function useMonotonicClock(): { advance(ms: number): void } {
  let aheadMs = 0;
  beforeEach(() => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  });
  return {
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
