import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import type { Registry } from 'prom-client';
import type { Settings } from '../../config/settings';
import { countDroppedLines, isPretty, LogOutput } from './log-output';
import { loadPrettyLine } from './pretty-line';

/** Injection token of the pino logger of the application. */
export const PINO = Symbol('pino');

/** Creates the logger of the process on its standard output. */
export async function createLogger({ logLevel, logFormat }: Settings, registry: Registry): Promise<Logger> {
  const format = isPretty(logFormat, isatty(1)) ? await loadPrettyLine() : undefined;
  const output = LogOutput.ofProcess(format);
  process.once('exit', () => {
    output.flushNow();
  });
  countDroppedLines(registry, () => output.dropped);
  return pino({ level: logLevel }, output);
}
