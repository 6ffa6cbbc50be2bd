import { UpstreamFailure } from './upstream-failure';

const UNHEALTHY = { retryable: true, countsAgainstCircuit: true } as const;

/** Whether an upstream response of this status has the requested data in its body. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a status says that the upstream refuses the request, and not that it is unhealthy. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** A truncated response, or bytes that are no HTTP: another attempt may succeed. */
export function badResponse(message: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', message, UNHEALTHY);
}

/** A whole response of no use: another attempt would get the same, and it counts neither way for the circuit. */
export function wrongShape(message: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', message);
}

/** A response over the size limit. */
export function oversized(): UpstreamFailure {
  return wrongShape('The upstream response exceeds the size limit');
}

/** The deadline of the attempt passed. */
export function timedOut(): UpstreamFailure {
  return new UpstreamFailure('upstream-timeout', 'The deadline of the attempt passed', UNHEALTHY);
}

/** @param connectionLost whether there was a connection, which ended before a status line */
export function unreachable(connectionLost: boolean): UpstreamFailure {
  const message = connectionLost ? 'The connection ended before a response' : 'There is no connection';
  return new UpstreamFailure('upstream-unreachable', message, { ...UNHEALTHY, connectionLost });
}

/** A status outside 2xx that does not mean "no match". */
export function failedStatus(status: number, retryAfterMs?: number): UpstreamFailure {
  if (status >= 300 && status < 400) return wrongShape('The upstream response is a redirect');
  return new UpstreamFailure('upstream-error', `The upstream responded with status ${status}`, {
    ...(!isRefusal(status) && UNHEALTHY),
    status,
    retryAfterMs,
  });
}

/** A web page where a record belongs: that of a proxy, or of a wrong path. */
export function webPage(): UpstreamFailure {
  return new UpstreamFailure('upstream-error', 'The upstream response is a web page');
}

const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 *
 * @returns milliseconds from now, a day at most; `undefined` where the header is absent or invalid
 */
export function retryAfterMs(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : httpDate(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}

const WEEKDAY_AND_TIME = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/** Every form of an HTTP date is in GMT, also the one without a zone. */
function httpDate(text: string): number {
  if (!WEEKDAY_AND_TIME.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
