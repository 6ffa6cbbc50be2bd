import { EventLoopLag } from './event-loop-lag';

describe('EventLoopLag', () => {
  let lag: EventLoopLag;
  let now: number;

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    lag = new EventLoopLag();
    now = 5000;
    lag.onApplicationBootstrap();
  });
  afterEach(() => {
    lag.stop();
    jest.useRealTimers();
  });

  /** Lets ticks happen, each as late as told. */
  function ticks(...lateMs: number[]): void {
    for (const late of lateMs) {
      now += 100 + late;
      jest.advanceTimersByTime(100);
    }
  }

  it.each([
    ['on time', [0, 0, 3, 10], false],
    ['late once', [0, 900, 0], false],
    ['late now and then', [600, 0, 600, 0, 600], false],
    ['late for long', [501, 501], true],
    ['late by two seconds once', [2000], true],
    ['late by two seconds, then on time', [2000, 0, 0], true],
    ['late by two seconds, then on time for a second', [2000, ...Array.from({ length: 10 }, () => 0)], false],
    ['late without end', [700, 700, 700, 700, 700], true],
  ])('a loop that is %s', (_, late, overloaded) => {
    ticks(...late);
    expect(lag.overloaded).toBe(overloaded);
  });

  it('leaves no timer behind', () => {
    lag.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
  });
});
