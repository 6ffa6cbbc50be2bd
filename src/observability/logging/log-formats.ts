import { isatty } from 'node:tty';
import { styleText } from 'node:util';

/** Characters that could manipulate a terminal: control characters except the line feed, and format characters. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export async function prettyFormat(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: false,
    singleLine: true,
    ignore: 'pid,hostname,trace_id,span_id',
    translateTime: 'SYS:HH:MM:ss',
    // With these two options, a stack is printed with a row for each frame, and not as one long JSON text.
    errorLikeObjectKeys: ['stack', 'err'],
    customPrettifiers: { stack: String },
  });
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const hasColours = isatty(1) && process.env.TERM !== 'dumb' && (process.env.NO_COLOR ?? '') === '';
  return (text) => {
    const line = JSON.parse(text) as LogLine;
    const shown = pretty(forTerminal(line)).replace(UNPRINTABLE, escaped);
    return hasColours ? styleText(colourOf(line), shown, { validateStream: false }) : shown;
  };
}

/** The fields of log lines that are read here. */
export interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly address?: string;
  readonly docs?: string;
  readonly externalSystem?: string;
  readonly embeddedSandbox?: boolean;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly completeness?: string;
  readonly problem?: string;
  readonly cause?: string;
}

/**
 * Makes the two lines that somebody at a terminal reads most short texts: that of the start, and that of a request.
 * All other lines are returned as they are.
 */
export function forTerminal(line: LogLine): LogLine {
  const { level, time } = line;
  if (line.msg === 'Listening') return { level, time, msg: startText(line) };
  return line.msg === 'request' && line.durationMs !== undefined ? { level, time, msg: requestText(line) } : line;
}

function startText({ address, docs, externalSystem, embeddedSandbox }: LogLine): string {
  const list = `curl -i '${address ?? ''}/api/Shipping/GetShippingPagedList`;
  const page = docs === undefined ? '' : `. Open ${docs} and press Execute`;
  const records = embeddedSandbox === true ? 'its embedded sandbox' : (externalSystem ?? '');
  const failure = embeddedSandbox === true ? `\n  To see a failure: ${list}?SearchTerm=SIMULATE-500'` : '';
  return `Ready, with the records of ${records}${page}\n  To see a record:  ${list}?PageSize=1'${failure}`;
}

function requestText({ method, route, status, durationMs = 0, completeness, problem, cause }: LogLine): string {
  const why = cause === undefined ? undefined : `(${cause})`;
  const parts = [method, route, status, `${Math.round(durationMs)} ms`, completeness ?? problem, why];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** 50 is `error`, 40 is `warn`. */
export function colourOf({ level, msg }: LogLine): 'red' | 'yellow' | 'green' | 'reset' {
  if (level >= 40) return level >= 50 ? 'red' : 'yellow';
  return msg === 'Listening' ? 'green' : 'reset';
}
