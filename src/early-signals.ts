const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Ends the process at once: nothing is in progress before the service listens. */
const exit = (): void => {
  process.exit(0);
};

// The kernel drops signals that process 1 does not handle, so this file is the first that main.ts loads.
for (const signal of SIGNALS) process.on(signal, exit);

/** Leaves SIGTERM and SIGINT to the graceful shutdown, when the service listens. */
export function stopExitingOnSignals(): void {
  for (const signal of SIGNALS) process.off(signal, exit);
}
