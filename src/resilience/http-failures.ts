import { AttemptFailure } from './upstream-failure';

const UNHEALTHY = { retryable: true, countsAgainstCircuit: true } as const;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Whether an upstream response of this status has the requested data in its body. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A truncated or unreadable response: another attempt may succeed. */
export function badResponse(message: string): AttemptFailure {
  return new AttemptFailure('bad-reply', message, UNHEALTHY);
}

/** A complete response of no use: another attempt would get the same, and it counts neither way for the circuit. */
export function wrongShape(message: string): AttemptFailure {
  return new AttemptFailure('bad-reply', message, { retryable: false, countsAgainstCircuit: false });
}

/** A response over the size limit. */
export function oversized(): AttemptFailure {
  return wrongShape('The upstream response exceeds the size limit');
}

/** A web page where a record belongs: that of a proxy, or of a wrong path. */
export function webPage(): AttemptFailure {
  return new AttemptFailure('upstream-error', 'The upstream response is a web page', {
    retryable: false,
    countsAgainstCircuit: false,
  });
}

/** The deadline of the attempt passed. */
export function timedOut(): AttemptFailure {
  return new AttemptFailure('upstream-timeout', 'The deadline of the attempt passed', UNHEALTHY);
}

/** No connection, or it ended before a status line. */
export function unreachable(deadConnection: boolean): AttemptFailure {
  return new AttemptFailure('upstream-unreachable', 'The connection ended before a response', {
    ...UNHEALTHY,
    deadConnection,
  });
}

/** A status outside 2xx that does not mean "no match". */
export function failedStatus(status: number, retryAfterMs: number | undefined): AttemptFailure {
  if (status >= 300 && status < 400) return wrongShape('The upstream response is a redirect');
  return new AttemptFailure('upstream-error', `The upstream responded with status ${status}`, {
    retryable: RETRYABLE_STATUSES.has(status),
    countsAgainstCircuit: status >= 500 || status === 408 || status === 429,
    retryAfterMs,
    status,
  });
}

const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @param now wall-clock time in milliseconds, for dates
 * @returns milliseconds from now, a day at most; `undefined` where the header is absent or invalid
 */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}

const WEEKDAY_AND_TIME = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/** Every form of an HTTP date is in GMT, also the one without a zone. */
function httpDate(text: string): number {
  if (!WEEKDAY_AND_TIME.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
