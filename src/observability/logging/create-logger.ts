import { type Logger, pino } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Settings } from '../../config/settings';
import { LogDestination } from './log-destination';

/** Injection token of the pino logger of the application. */
export const PINO = Symbol('pino');

/** Creates the logger of the process, which writes to standard output. */
export async function createLogger({ logLevel, logFormat }: Settings, registry: Registry): Promise<Logger> {
  const destination = await LogDestination.ofProcess(logFormat);
  countDroppedLines(registry, destination);
  return pino({ level: logLevel }, destination);
}

/** Registers the counter of dropped log lines. */
export function countDroppedLines(registry: Registry, destination: Pick<LogDestination, 'dropped'>): void {
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because nothing read the output',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(destination.dropped);
    },
  });
}
