import { setTimeout as start } from 'node:timers';

/**
 * Ends every timer of this process of half a second or more at once, and records its length, so that a test need not
 * wait.
 *
 * @param waits called with the length of each such timer, before it ends; where it returns `false`, the timer never
 * ends
 */
export function holdLongWaits(waits: (ms: number) => boolean = () => true): {
  spy: jest.SpyInstance;
  waited: number[];
} {
  const waited: number[] = [];
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback: () => void, ms = 0, ...rest: []) => {
    if (ms < 500) return start(callback, ms, ...rest);
    waited.push(ms);
    return waits(ms) ? start(callback, 0, ...rest) : start(() => undefined, 0);
  });
  return { spy, waited };
}

/**
 * Ends every timer of this process of exactly `ms` as soon as `isDue` returns `true`, so that a deadline passes, for
 * example, when its request has arrived, however slow the machine is.
 *
 * @param isDue called with the number of timers that have been ended
 */
export function endWaitsWhenDue(ms: number, isDue: (ended: number) => boolean): jest.SpyInstance {
  let ended = 0;
  return jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback: () => void, wait = 0, ...rest: []) => {
    if (wait !== ms) return start(callback, wait, ...rest);
    const poll = setInterval(() => {
      if (!isDue(ended)) return;
      clearInterval(poll);
      ended += 1;
      callback();
    }, 5);
    return poll;
  });
}
