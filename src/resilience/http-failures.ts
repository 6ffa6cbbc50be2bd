import { UpstreamFailure } from './upstream-failure';

const UNHEALTHY = { retryable: true, countsAgainstCircuit: true } as const;

/** Whether the upstream refuses the request, rather than being unhealthy. */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** A truncated response, or bytes that are no HTTP. */
export function badResponse(message: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', message, UNHEALTHY);
}

/** A whole response of no use, which another attempt would get again. */
export function wrongShape(message: string): UpstreamFailure {
  return new UpstreamFailure('bad-reply', message);
}

export function oversized(): UpstreamFailure {
  return wrongShape('The upstream response exceeds the size limit');
}

export function timedOut(): UpstreamFailure {
  return new UpstreamFailure('upstream-timeout', 'The deadline of the attempt passed', UNHEALTHY);
}

/** @param connectionLost whether a connection ended before a status line */
export function unreachable(connectionLost: boolean): UpstreamFailure {
  const message = connectionLost ? 'The connection ended before a response' : 'There is no connection';
  return new UpstreamFailure('upstream-unreachable', message, { ...UNHEALTHY, connectionLost });
}

/** Why a status outside 2xx is a failure: a redirect is a bad reply. */
export function reasonOfStatus(status: number): 'bad-reply' | 'upstream-error' {
  return status >= 300 && status < 400 ? 'bad-reply' : 'upstream-error';
}

export function failedStatus(status: number, retryAfterMs?: number): UpstreamFailure {
  if (reasonOfStatus(status) === 'bad-reply') return wrongShape('The upstream response is a redirect');
  return new UpstreamFailure('upstream-error', `The upstream responded with status ${status}`, {
    ...(!isRefusal(status) && UNHEALTHY),
    status,
    retryAfterMs,
  });
}

/** A page of a proxy, or of a wrong path. */
export function webPage(): UpstreamFailure {
  return new UpstreamFailure('upstream-error', 'The upstream response is a web page');
}

const LONGEST_MS = 24 * 60 * 60 * 1000;

/** The milliseconds of a `Retry-After` header, a day at most; `undefined` where it is absent or invalid. */
export function retryAfterMs(header: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : httpDate(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_MS);
}

const WEEKDAY_AND_TIME = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/** The form without a zone is in GMT too. */
function httpDate(text: string): number {
  if (!WEEKDAY_AND_TIME.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
