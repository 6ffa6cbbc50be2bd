import { setTimeout as start } from 'node:timers';

/**
 * Ends every wait of this process that lasts half a second or longer at once, and records how long it would have been.
 *
 * @param waits called with the length of each wait, before it ends; `false` keeps it from ending
 */
export function holdLongWaits(waits: (ms: number) => boolean = () => true): { restore(): void; waited: number[] } {
  const waited: number[] = [];
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback: () => void, ms = 0, ...rest: []) => {
    if (ms < 500) return start(callback, ms, ...rest);
    waited.push(ms);
    return waits(ms) ? start(callback, 0, ...rest) : start(() => undefined, 0);
  });
  return {
    waited,
    restore: () => {
      spy.mockRestore();
    },
  };
}

/**
 * Ends every wait of this process of exactly `ms` as soon as it is due, so that a deadline passes when its request has
 * arrived, however slow the machine is.
 *
 * @param isDue gets the number of waits that have ended so
 */
export function endWaitsWhenDue(ms: number, isDue: (ended: number) => boolean): { restore(): void } {
  let ended = 0;
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback: () => void, wait = 0, ...rest: []) => {
    if (wait !== ms) return start(callback, wait, ...rest);
    const poll = setInterval(() => {
      if (!isDue(ended)) return;
      clearInterval(poll);
      ended += 1;
      callback();
    }, 5);
    return poll;
  });
  return {
    restore: () => {
      spy.mockRestore();
    },
  };
}
