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
