const SECONDS = /^\d{1,10}$/;
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The milliseconds of a `Retry-After` header: seconds, or a date as RFC 9110 writes it. Other forms are ignored, since
 * `Date.parse` reads nearly everything, in the zone of this machine.
 *
 * @param header `undefined`, or a list where the header came more than once, is no wait
 * @param date the `Date` header of the same response: clocks differ, so that a date is read against it (D21)
 */
export function retryAfterMs(header: unknown, date: unknown): number | undefined {
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  if (SECONDS.test(value)) return 1000 * Number(value);
  const wait = timeOf(value) - (timeOf(date) || Date.now());
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function timeOf(date: unknown): number {
  return typeof date === 'string' && DATE.test(date) ? Date.parse(date) : NaN;
}
