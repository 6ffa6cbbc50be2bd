/** The same as in `shutdown.ts`. This file imports nothing, because the handlers have to be there before all else. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Ends the process at once: until the service listens, no request is in progress that could be cut off. */
const exit = process.exit.bind(process, 0);

// In a container the service is usually process 1, for which the kernel drops every signal without a handler. `main.ts`
// loads this file first, so that signals end the process from its first moment (D27).
for (const signal of SIGNALS) process.on(signal, exit);

/** Removes these handlers. Call it when the service listens: the graceful shutdown handles the signals from then on. */
export function stopExitingOnSignals(): void {
  for (const signal of SIGNALS) process.off(signal, exit);
}
