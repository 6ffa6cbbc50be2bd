// This file imports nothing, because `main.ts` loads it before all else.

/** The signals of an orchestrator, of a person (Ctrl-C), and of a terminal that is closed. */
export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Ends the process at once: until the service listens, no request is in progress that could be cut off. */
const exit = process.exit.bind(process, 0);

/**
 * Makes signals end the process with 0 until {@link stopExitingOnSignals}. In a container the service is usually process
 * 1, for which the kernel drops every signal without a handler (D27).
 */
export function exitOnSignals(): void {
  for (const signal of SIGNALS) if (!process.listeners(signal).includes(exit)) process.on(signal, exit);
}

/** Call it when the service listens: the graceful shutdown handles the signals from then on. */
export function stopExitingOnSignals(): void {
  for (const signal of SIGNALS) process.off(signal, exit);
}
