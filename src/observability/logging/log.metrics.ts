import { Counter, type Registry } from 'prom-client';

/** Registers the counter of dropped log lines. */
export function countDroppedLines(registry: Registry, dropped: () => number): void {
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because nothing read the output',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(dropped());
    },
  });
}
