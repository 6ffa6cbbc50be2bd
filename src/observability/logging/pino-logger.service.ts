import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';
import { describeError } from '../../common/errors';

/** What Nest logs about its own start, at `debug`. */
const STARTUP_CONTEXTS: ReadonlySet<string | undefined> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Lets the framework log through pino, so that all log lines have one form and one output. */
export class PinoLoggerService implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.write('info', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.write('error', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.write('warn', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.write('trace', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.write('fatal', message, details);
  }

  private write(level: Level, message: unknown, details: unknown[]): void {
    const [context, ...rest] = details.filter((detail) => typeof detail === 'string').reverse();
    const text = message instanceof Error ? describeError(message) : String(message);
    const isStartup = level === 'info' && STARTUP_CONTEXTS.has(context);
    this.logger[isStartup ? 'debug' : level](
      { context, ...(rest.length === 0 ? {} : { stack: rest.join('\n') }) },
      text,
    );
  }
}
