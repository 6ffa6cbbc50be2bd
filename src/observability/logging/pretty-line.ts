/** Fields that say nothing on a terminal. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['pid', 'hostname', 'trace_id', 'span_id']);

/** Control and format characters, which could move the cursor, change colours or reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The fields that have a place in a line. Code that calls pino directly may log them with any value. */
interface Line {
  readonly level: unknown;
  /** Milliseconds since 1970. */
  readonly time: unknown;
  readonly msg?: unknown;
  readonly context?: string;
  readonly stack?: unknown;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly durationMs?: unknown;
  readonly completeness?: string;
  readonly problem?: string;
  readonly reason?: string;
}

/**
 * Loads what makes a JSON line of pino a text for people: local time, level, message and fields, or what a request was and
 * how it ended. The text has its line end; no value moves the cursor or starts a row that looks like another line.
 */
export async function loadPrettyLine(): Promise<(json: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: false, translateTime: 'SYS:HH:MM:ss' });
  return (json) => {
    const { level, time, ...line } = JSON.parse(json) as Line;
    const rows = line.msg === 'request' ? [requestText(line)] : messageRows(line);
    // Nothing else: pino-pretty gives some names a meaning, and writes line ends in their values as they are.
    return format({ level: Number(level) || 0, time: Number(time), msg: rows.map(printable).join('\n  ') });
  };
}

type Fields = Omit<Line, 'level' | 'time'>;

function requestText({ method, route, status, durationMs, completeness, problem, reason, requestId }: Fields): string {
  const duration = `${Number(durationMs ?? 0).toFixed(1)} ms`;
  const parts = [method, route, status, duration, completeness, problem, reason, `(${requestId ?? ''})`];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The message with its context and fields, then the rest of a long message, then the stack. */
function messageRows({ context, msg = '', stack, ...fields }: Fields): string[] {
  const [message = '', ...more] = textOf(msg).split('\n');
  const shown = Object.entries(fields).filter(([name]) => !HIDDEN_FIELDS.has(name));
  const parts = [
    ...(context === undefined ? [] : [`[${context}]`]),
    message,
    ...shown.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ];
  return [parts.join(' '), ...more, ...(stack === undefined ? [] : textOf(stack).split('\n'))];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Characters that are not printable as escapes, such as `\u001b`. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
