import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { type Logger, pino, stdSerializers } from 'pino';
import type { Registry } from 'prom-client';
import type { Settings } from '../../config/settings';
import { LogDestination } from './log-destination';

/** The contexts in which Nest logs a line for each module and route at every start. These lines are `debug` here. */
const STARTUP = /^(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)$/;

export function isPretty({ logFormat }: Settings): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && isatty(1));
}

/** For a terminal, pino-pretty colours lines where it can, and removes control characters from messages. */
export async function openLog(settings: Settings, registry: Registry): Promise<LogDestination> {
  if (!isPretty(settings)) return new LogDestination(registry);
  const { prettyFactory } = await import('pino-pretty');
  const ignore = 'pid,hostname,trace_id,span_id';
  return new LogDestination(registry, prettyFactory({ singleLine: true, ignore, translateTime: 'SYS:HH:MM:ss' }));
}

/** @param destination by default standard output, to which each line is written at once */
export function createLogger({ logLevel }: Pick<Settings, 'logLevel'>, destination?: LogDestination): Logger {
  return pino({ level: logLevel, serializers: { err: serialized } }, destination ?? pino.destination({ sync: true }));
}

/**
 * The fields that the service sets in its log lines. Where code logs a field with such a name, it gets an underscore at
 * its end: the line would otherwise have the same field twice, which parsers of JSON resolve in different ways.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'context', 'stack', 'err']);
const LEVELS = { verbose: 'trace', debug: 'debug', log: 'info', warn: 'warn', error: 'error', fatal: 'fatal' } as const;

/**
 * Lets Nest log through pino. Its `ConsoleLogger` takes the parameters apart, as for its own lines of JSON: the last
 * text is the context, each further message is a line of its own, and plain objects are fields. An error is `err` with
 * type, message and stack, without its further members, because those of an axios error hold credentials.
 */
export class PinoLoggerService extends ConsoleLogger {
  constructor(private readonly logger: Logger) {
    // All levels are passed on, because pino drops lines below `LOG_LEVEL`. By default, Nest would drop some by
    // `NEST_LOG_LEVEL`.
    super({ json: true, logLevels: Object.keys(LEVELS) as LogLevel[] });
  }

  protected override printAsJson(message: unknown, options: Parameters<ConsoleLogger['printAsJson']>[1]): void {
    const { context, logLevel, errorStack: stack, params = {}, error: err } = options;
    const { text, fields } = lineOf(message);
    // Where tracing is on, lines that are logged during a request have its trace id, so that they can be found by it.
    const trace_id = trace.getActiveSpan()?.spanContext().traceId;
    const own = { context: context === '' ? undefined : context, trace_id, stack, err };
    const isStartup = logLevel === 'log' && STARTUP.test(context);
    this.logger[isStartup ? 'debug' : LEVELS[logLevel]]({ ...own, ...fieldsOf(params), ...fields }, text);
  }
}

function lineOf(message: unknown): { readonly text?: string; readonly fields?: object } {
  if (typeof message === 'string') return { text: message };
  if (message instanceof Error) return { text: message.message, fields: { err: message } };
  if (isPlainObject(message)) return { fields: fieldsOf(message) };
  return { text: inspect(message, { breakLength: Infinity }) };
}

/** As for `ConsoleLogger`: an object literal, or one without a prototype, such as the groups of a match. */
function isPlainObject(value: unknown): value is object {
  const prototype: unknown = value === null || typeof value !== 'object' ? undefined : Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function fieldsOf(object: object): object {
  const fields = Object.entries(object);
  return Object.fromEntries(
    fields.map(([name, value]) => [OWN_FIELDS.has(name) ? `${name}_` : name, serialized(value)]),
  );
}

/** An error with its type, its message and the stacks of it and its causes; any other value as it is. */
function serialized(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { type: value.name, message: value.message, stack: stdSerializers.err(value).stack };
}
