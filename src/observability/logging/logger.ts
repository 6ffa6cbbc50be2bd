import type { LoggerService } from '@nestjs/common';
import { isatty } from 'node:tty';
import { pino, type Level, type Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { describeError } from '../../common/errors';
import type { Settings } from '../../config/settings';
import { LogDestination, prettyFormat } from './log-destination';

export const PINO = Symbol('pino');

const STARTUP = /^(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)$/;

export async function openLog({ logFormat }: Settings, registry: Registry): Promise<LogDestination> {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isatty(1));
  return new LogDestination(droppedLines(registry), isPretty ? await prettyFormat() : undefined);
}

export function createLogger({ logLevel }: Settings, destination: LogDestination): Logger {
  return pino({ level: logLevel }, destination);
}

export function droppedLines(registry: Registry): Counter {
  const help = 'Log lines that were dropped because nothing read the output';
  return new Counter({ name: 'log_lines_dropped_total', help, registers: [registry] });
}

/** Lets Nest log through pino. */
export class PinoLoggerService implements LoggerService {
  readonly log = this.at('info');
  readonly error = this.at('error');
  readonly warn = this.at('warn');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');
  readonly fatal = this.at('fatal');

  constructor(private readonly logger: Logger) {}

  private at(level: Level): (message: unknown, ...details: unknown[]) => void {
    return (message, ...details) => {
      const [context, ...stack] = details.filter((detail) => typeof detail === 'string').reverse();
      const text = message instanceof Error ? describeError(message) : String(message);
      const isStartup = level === 'info' && context !== undefined && STARTUP.test(context);
      const fields = stack.length === 0 ? { context } : { context, stack: stack.join('\n') };
      this.logger[isStartup ? 'debug' : level](fields, text);
    };
  }
}
