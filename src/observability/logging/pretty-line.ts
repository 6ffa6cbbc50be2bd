const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/** Fields that a line shows in a place of its own, or that say nothing on a terminal. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'trace_id', 'span_id']);

/** Control and format characters, which could move the cursor, change colours or reverse the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The fields that have a place in a line. */
interface Line {
  readonly level: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly msg?: string;
  readonly context?: string;
  readonly stack?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly durationMs?: number;
  readonly completeness?: string;
  readonly problem?: string;
  readonly reason?: string;
}

/** Whether log lines are written as readable text. */
export function isPretty(format: 'auto' | 'pretty' | 'json', isTerminal: boolean): boolean {
  return format === 'pretty' || (format === 'auto' && isTerminal);
}

/**
 * A JSON line of pino as text for people: local time, level, message and fields, or what a request was and how it ended.
 *
 * @returns the text with its line end
 */
export function prettyLine(json: string): string {
  const line = JSON.parse(json) as Line;
  const time = new Date(line.time).toTimeString().slice(0, 8);
  const level = (LEVELS[line.level] ?? '').padEnd(5);
  const [first = '', ...more] = line.msg === 'request' ? [requestText(line)] : messageRows(line);
  return [`${time} ${level} ${first}`, ...more.map((row) => `  ${row}`)].map((row) => `${printable(row)}\n`).join('');
}

function requestText({ method, route, status, durationMs, completeness, problem, reason, requestId }: Line): string {
  const duration = `${(durationMs ?? 0).toFixed(1)} ms`;
  const parts = [method, route, status, duration, completeness, problem, reason, `(${requestId ?? ''})`];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** The message with its context and fields, then the rest of a long message, then the stack. */
function messageRows({ context, msg = '', stack, ...line }: Line): string[] {
  const [message = '', ...more] = msg.split('\n');
  const fields = Object.entries(line).filter(([name]) => !OTHER_FIELDS.has(name));
  const parts = [
    ...(context === undefined ? [] : [`[${context}]`]),
    message,
    ...fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ];
  return [parts.join(' '), ...more, ...(stack?.split('\n') ?? [])];
}

/** Characters that are not printable as escapes, such as `\u001b`. */
function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
