import type { LoggerService } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { isatty } from 'node:tty';
import { inspect } from 'node:util';
import { pino, stdSerializers, type Level, type Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Settings } from '../../config/settings';
import { LogDestination, prettyFormat } from './log-destination';

export const PINO = Symbol('pino');

const STARTUP = /^(NestFactory|InstanceLoader|RoutesResolver|RouterExplorer|NestApplication)$/;

export async function openLog({ logFormat }: Settings, registry: Registry): Promise<LogDestination> {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && isatty(1));
  return new LogDestination(droppedLines(registry), isPretty ? await prettyFormat() : undefined);
}

export function createLogger({ logLevel }: Settings, destination: LogDestination): Logger {
  return pino({ level: logLevel, serializers: { err: serialized } }, destination);
}

export function droppedLines(registry: Registry): Counter {
  const help = 'Log lines that were dropped because nothing read the output';
  return new Counter({ name: 'log_lines_dropped_total', help, registers: [registry] });
}

/** The fields of each line; those of a team with such a name get an underscore, so that a line has no field twice. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'context', 'stack', 'err']);
const STACK = /\n[ \t]+at /;

/**
 * Lets Nest log through pino, by the rules of Nest's own `ConsoleLogger`: the last text is the context, each further
 * message is a line of its own, and plain objects are fields. An error is `err` with type, message and stack: what
 * is logged on purpose is written whole, but for an error's further members, such as the request of an axios error.
 */
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
      const { context, messages, fields } = parse(level, message, details);
      const isStartup = level === 'info' && context !== undefined && STARTUP.test(context);
      for (const each of messages) {
        this.logger[isStartup ? 'debug' : level](
          { context, trace_id: activeTraceId(), ...fields, ...each.fields },
          each.text,
        );
      }
    };
  }
}

interface Message {
  readonly text: string | undefined;
  readonly fields?: Readonly<Record<string, unknown>>;
}

function parse(level: Level, message: unknown, details: readonly unknown[]) {
  // Nest passes `undefined` for a stack that is not given.
  const rest = details.filter((detail) => detail !== undefined);
  const fields: Record<string, unknown> = {};
  if (isStack(rest.at(-1))) fields.stack = rest.pop();
  const context = typeof rest.at(-1) === 'string' ? (rest.pop() as string) : undefined;
  const takesStack = level === 'error' || level === 'fatal';
  if (takesStack && fields.stack === undefined && typeof rest.at(-1) === 'string') fields.stack = rest.pop();
  const messages = [messageOf(message)];
  for (const detail of rest) {
    if (isPlainObject(detail)) Object.assign(fields, fieldsOf(detail));
    else if (detail instanceof Error && messages[0]?.fields === undefined)
      messages[0] = { ...messageOf(detail), text: messages[0]?.text };
    else messages.push(messageOf(detail));
  }
  return { context, messages, fields };
}

function messageOf(message: unknown): Message {
  if (typeof message === 'string') return { text: message };
  if (message instanceof Error) return { text: message.message, fields: { err: message } };
  if (isPlainObject(message)) return { text: undefined, fields: fieldsOf(message) };
  if (typeof message !== 'function') return { text: inspect(message, { breakLength: Infinity }) };
  // As in Nest, a class is logged by its name, and any other function returns the message.
  const isClass = Function.prototype.toString.call(message).startsWith('class ');
  return isClass ? { text: message.name } : messageOf((message as () => unknown)());
}

function fieldsOf(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      return [OWN_FIELDS.has(name) ? `${name}_` : name, serialized(value)];
    }),
  );
}

/** An error with its type, its message and the stacks of it and its causes; any other value as it is. */
function serialized(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message } = value;
  return { type: name, message, stack: stdSerializers.err(value).stack };
}

function isStack(value: unknown): boolean {
  return typeof value === 'string' && STACK.test(value);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Where tracing is on, a line that is written while a request is served has its trace id. */
function activeTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
