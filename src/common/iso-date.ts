const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):(\d{2}))?)?$/;
const DATE_ONLY_LENGTH = 'YYYY-MM-DD'.length;
const LAST_MILLISECOND_OF_DAY = 86_399_999;
const YEAR_1 = -62_135_596_800_000;
const YEAR_10000 = 253_402_300_800_000;

/**
 * Reads an ISO 8601 date (`YYYY-MM-DD`) or date-time (`YYYY-MM-DDThh:mm[:ss[.fraction]]` with `Z`, `±hh:mm` or no zone,
 * which means UTC). Fractions are cut to milliseconds.
 *
 * @param dateOnlyMeans the start or the end of the day for a date without a time
 * @returns `undefined` for any other notation, for dates and times that do not exist and for years beyond 0001 to 9999
 */
export function parseDate(text: string, dateOnlyMeans: 'start' | 'end' = 'start'): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction = ''] = match;
  const [, , , , , , , , sign, zoneHour = '0', zoneMinute = '0'] = match;
  const fits =
    +year >= 1 && +month >= 1 && +month <= 12 && +day >= 1 && +day <= daysIn(+year, +month) &&
    +hour <= 23 && +minute <= 59 && +second <= 59 && +zoneHour <= 23 && +zoneMinute <= 59; // prettier-ignore
  if (!fits) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = (sign === '-' ? -1 : 1) * (+zoneHour * 60 + +zoneMinute);
  date.setUTCHours(+hour, +minute - offset, +second, milliseconds);
  if (text.length === DATE_ONLY_LENGTH && dateOnlyMeans === 'end') {
    date.setTime(date.getTime() + LAST_MILLISECOND_OF_DAY);
  }
  return date.getTime() >= YEAR_1 && date.getTime() < YEAR_10000 ? date : undefined;
}

/** UTC, to the second or finer; the last days of a month need the calendar of {@link parseDate}. */
const PLAIN_UTC =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z?$/;
const SECONDS_LENGTH = 'YYYY-MM-DDThh:mm:ss'.length;
const MILLISECONDS_LENGTH = 'YYYY-MM-DDThh:mm:ss.sss'.length;
const CANONICAL_LENGTH = MILLISECONDS_LENGTH + 1;

/**
 * Formats a date as responses have it: ISO 8601 UTC with milliseconds. The most frequent forms are cut or padded without
 * a `Date`.
 *
 * @returns `undefined` where {@link parseDate} reads no date
 */
export function isoUtc(text: string): string | undefined {
  if (!PLAIN_UTC.test(text)) return parseDate(text)?.toISOString();
  if (text.length === CANONICAL_LENGTH && text.endsWith('Z')) return text;
  const fraction = text.slice(SECONDS_LENGTH + 1, MILLISECONDS_LENGTH).replace('Z', '');
  // Joined, not concatenated: V8 serialises a concatenated text at half the speed, and all of the body with it.
  return [text.slice(0, SECONDS_LENGTH), '.', fraction.padEnd(3, '0'), 'Z'].join('');
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
