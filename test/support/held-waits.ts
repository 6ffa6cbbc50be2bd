/**
 * Ends every wait of this process that lasts half a second or longer at once, and records how long it would have been.
 *
 * @param waits called with the length of each wait, before it ends; `false` keeps it from ending
 */
export function holdLongWaits(waits: (ms: number) => boolean = () => true): { restore(): void; waited: number[] } {
  const start = setTimeout;
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
