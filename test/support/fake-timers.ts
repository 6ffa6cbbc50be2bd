/** Fakes the timers of a suite, whose tests must leave none behind. Returns what lets milliseconds pass. */
export function useFakeTimers(): (ms: number) => Promise<void> {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
  return (ms) => jest.advanceTimersByTimeAsync(ms);
}
