import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';
import { describeError } from '../../common/errors';

/** What Nest logs about its own start, at `debug`. */
const STARTUP = /^(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)$/;

/** Lets the framework log through pino, so that all log lines have one form and one output. */
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
