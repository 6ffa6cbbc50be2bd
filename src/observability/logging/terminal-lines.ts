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
