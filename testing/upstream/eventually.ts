import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** The clock of the machine, taken before a test may hold `performance.now`: with a held one, no wait would end. */
const now = performance.now.bind(performance);

/**
 * Waits for what happens after a response, such as a log line or the end of a call.
 *
 * @param what names the value in the message of the error, such as `calls in flight`
 * @param read reads the value, again and again
 * @param wanted the value that ends the wait, or a condition on it
 * @param withinMs the longest wait in milliseconds
 * @param everyMs the pause between two reads in milliseconds
 * @returns the wanted value
 * @throws Error with `what` and the last value
 */
export async function eventually<T>(
  what: string,
  read: () => T | Promise<T>,
  wanted: NoInfer<T> | true | ((value: T) => boolean) = true,
  withinMs = 60_000,
  everyMs = 2,
): Promise<T> {
  const isWanted = wanted instanceof Function ? wanted : (value: T) => value === wanted;
  const deadline = now() + withinMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (now() > deadline) {
      throw new Error(`Waited ${withinMs} ms in vain: ${what}. The last value is ${inspect(value, { depth: 1 })}`);
    }
    await pause(everyMs);
  }
}
