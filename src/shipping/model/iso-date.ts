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
 * @param dateOnlyMeans which end of the day a date without a time stands for
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
  const milliseconds = Math.trunc(Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offset = (sign === '-' ? -1 : 1) * (+zoneHour * 60 + +zoneMinute);
  date.setUTCHours(+hour, +minute - offset, +second, milliseconds);
  if (text.length === DATE_ONLY_LENGTH && dateOnlyMeans === 'end') {
    date.setTime(date.getTime() + LAST_MILLISECOND_OF_DAY);
  }
  return date.getTime() >= YEAR_1 && date.getTime() < YEAR_10000 ? date : undefined;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
