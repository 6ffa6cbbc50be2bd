const DATE = String.raw`(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})`;
const TIME = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`(?:Z|(?<sign>[+-])(?<zoneHour>\d{2}):(?<zoneMinute>\d{2}))?`;
const DATE_TIME = new RegExp(`^${DATE}(?:T${TIME}${ZONE})?$`);

/**
 * Reads `YYYY-MM-DD`, which means the start or the end of that day, or a date-time, in UTC unless it has a zone.
 *
 * @returns `undefined` where there is no such date, and for years beyond 0001 to 9999
 */
export function parseDate(text: string, dateOnlyMeans: 'start' | 'end' = 'start'): Date | undefined {
  const { groups } = DATE_TIME.exec(text) ?? {};
  if (groups === undefined) return undefined;
  const { year = '', month = '', day = '', sign, zoneHour = '0', zoneMinute = '0' } = groups;
  const { hour = '0', minute = '0', second = '0', fraction = '' } = groups;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  const isDay = +year >= 1 && date.getUTCMonth() === +month - 1 && date.getUTCDate() === +day;
  if (!isDay || +hour > 23 || +minute > 59 || +second > 59 || +zoneHour > 23 || +zoneMinute > 59) return undefined;
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = (sign === '-' ? -1 : 1) * (+zoneHour * 60 + +zoneMinute);
  date.setUTCHours(+hour, +minute - offset, +second, milliseconds);
  if (!text.includes('T') && dateOnlyMeans === 'end') date.setUTCHours(23, 59, 59, 999);
  // A zone may move the first or the last day out of the years 0001 to 9999: such an instant is refused (D6).
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999 ? date : undefined;
}

/** The most frequent form, a time in UTC on one of the first 28 days of a month: no look at the calendar is needed. */
const PLAIN_UTC =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z?$/;
const SECONDS_LENGTH = 'YYYY-MM-DDThh:mm:ss'.length;
const MILLISECONDS_LENGTH = 'YYYY-MM-DDThh:mm:ss.sss'.length;
const CANONICAL_LENGTH = MILLISECONDS_LENGTH + 1;

/** Formats a date as UTC with milliseconds; `undefined` where {@link parseDate} reads none. */
export function isoUtc(text: string): string | undefined {
  if (!PLAIN_UTC.test(text)) return parseDate(text)?.toISOString();
  if (text.length === CANONICAL_LENGTH && text.endsWith('Z')) return text;
  const fraction = text.slice(SECONDS_LENGTH + 1, MILLISECONDS_LENGTH).replace('Z', '');
  // Joined, because V8 serialises a body with concatenated texts at half the speed.
  return [text.slice(0, SECONDS_LENGTH), '.', fraction.padEnd(3, '0'), 'Z'].join('');
}
