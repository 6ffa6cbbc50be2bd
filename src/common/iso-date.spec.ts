import * as fc from 'fast-check';
import { callInZone } from '../../test/support/units';
import { isoUtc, parseDate } from './iso-date';
import { anyText } from '../../test/support/any-text';

const iso = (text: string, dateOnlyMeans?: 'start' | 'end'): string | undefined =>
  parseDate(text, dateOnlyMeans)?.toISOString();

const LAST_OF_DAY = 86_399_999;
const FIRST_INSTANT = daysBefore(1, 1, 1) * 86_400_000;
const LAST_INSTANT = daysBefore(10_000, 1, 1) * 86_400_000 - 1;

/** Days from 1970-01-01 to a date of the Gregorian calendar, by counting leap days; no Date has a part in it. */
function daysBefore(year: number, month: number, day: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const months = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const inYear = months.slice(0, month - 1).reduce((sum, length) => sum + length, day - 1);
  return past * 365 + leapDays + inYear - 719_162;
}

function daysInMonth(year: number, month: number): number {
  return (month === 12 ? daysBefore(year + 1, 1, 1) : daysBefore(year, month + 1, 1)) - daysBefore(year, month, 1);
}

/** An integer of exactly so many ASCII digits, within bounds. */
function figure(text: string, length: number, min: number, max: number): number {
  const plain = text.length === length && [...text].every((digit) => '0123456789'.includes(digit));
  return plain && Number(text) >= min && Number(text) <= max ? Number(text) : NaN;
}

/** What D6 says of a text, read piece by piece; NaN where it refuses. */
function oracle(text: string, dateOnlyMeans: 'start' | 'end'): number {
  const [datePart = '', timePart, ...rest] = text.split('T');
  if (rest.length > 0) return NaN;
  const [year = '', month = '', day = '', ...more] = datePart.split('-');
  const [y, m] = [figure(year, 4, 1, 9999), figure(month, 2, 1, 12)];
  const d = figure(day, 2, 1, Number.isNaN(y + m) ? 0 : daysInMonth(y, m));
  const midnight = more.length > 0 ? NaN : daysBefore(y, m, d) * 86_400_000;
  if (timePart === undefined) return midnight + (dateOnlyMeans === 'end' ? LAST_OF_DAY : 0);
  const instant = midnight + millisecondsOf(timePart);
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? instant : NaN;
}

function millisecondsOf(time: string): number {
  const zone = /Z$|[+-].{5}$/s.exec(time)?.[0] ?? '';
  const offset = zone.length < 6 ? 0 : clock(zone.slice(1)) * (zone.startsWith('-') ? 1 : -1);
  const local = zone === '' ? time : time.slice(0, -zone.length);
  const [seconds = '', fraction, ...rest] = local.slice(5).split('.');
  const wrong = rest.length > 0 || (seconds === '' ? fraction !== undefined : !seconds.startsWith(':'));
  const second = seconds === '' ? 0 : figure(seconds.slice(1), 2, 0, 59);
  const digits = fraction ?? '0';
  const parsed = figure(digits, digits.length, 0, 999_999_999);
  const cut = digits.length < 1 || digits.length > 9 ? NaN : Math.floor(parsed / 10 ** (digits.length - 3));
  return wrong ? NaN : clock(local.slice(0, 5)) + offset + second * 1000 + cut;
}

function clock(text: string): number {
  return text[2] === ':' ? (figure(text.slice(0, 2), 2, 0, 23) * 60 + figure(text.slice(3), 2, 0, 59)) * 60_000 : NaN;
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');
const padded = (length: number, min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((value) => pad(value, length));
/** Mostly milliseconds, which upstream dates have. */
const anyFraction = fc.oneof(fc.stringMatching(/^(\.[0-9]{0,10})?$/), fc.stringMatching(/^\.[0-9]{3}$/));

const anyDate = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
  .map(([y, m, d]) => `${pad(y, 4)}-${pad(m, 2)}-${pad(Math.min(d, daysInMonth(y, m)), 2)}`);
const anyTime = fc
  .tuple(padded(2, 0, 23), padded(2, 0, 59), fc.option(padded(2, 0, 59)), fc.stringMatching(/^(\.[0-9]{1,9})?$/))
  .map(([h, m, s, fraction]) => `${h}:${m}${s === null ? '' : `:${s}${fraction}`}`);
const anyZone = fc.oneof(
  fc.constantFrom('', 'Z'),
  fc.tuple(fc.constantFrom('+', '-'), padded(2, 0, 23), padded(2, 0, 59)).map(([s, h, m]) => `${s}${h}:${m}`),
);
const anyDateTime = fc.tuple(anyDate, anyTime, anyZone).map(([date, time, zone]) => `${date}T${time}${zone}`);

/** Texts of the right shape whose figures may be out of bounds. */
const lookalike = fc
  .tuple(padded(4, 0, 9999), padded(2, 0, 13), padded(2, 0, 32), padded(2, 0, 25), padded(2, 0, 61), padded(2, 0, 61), anyFraction, anyZone)
  .map(([y, mo, d, h, mi, s, fraction, zone]) => `${y}-${mo}-${d}T${h}:${mi}:${s}${fraction}${zone}`); // prettier-ignore

/** Valid texts in which one character is lost, added or exchanged. */
const nearMiss = fc
  .tuple(fc.oneof(anyDate, anyDateTime), fc.nat(), fc.constantFrom('', ' ', 'T', 'Z', '-', '+', ':', '.', '0', '9', '\n', '٣', '−', 'z'), fc.nat(1))
  .map(([text, at, put, lost]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + lost)); // prettier-ignore

describe('parseDate', () => {
  it.each([
    ['D6 a date starts its day', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['D6 minutes, no zone: UTC', '2026-03-01T08:30', '2026-03-01T08:30:00.000Z'],
    ['D6 seconds, no zone: UTC', '2026-03-01T08:30:15', '2026-03-01T08:30:15.000Z'],
    ['D6 Z', '2026-03-01T08:30Z', '2026-03-01T08:30:00.000Z'],
    ['D6 an offset east', '2026-03-01T08:30:00+05:30', '2026-03-01T03:00:00.000Z'],
    ['D6 an offset west, into the next day', '2026-03-01T22:30:00-03:00', '2026-03-02T01:30:00.000Z'],
    ['D6 the offset -00:00', '2026-03-01T08:30-00:00', '2026-03-01T08:30:00.000Z'],
    ['D6 one digit of fraction', '2026-03-01T08:30:00.5Z', '2026-03-01T08:30:00.500Z'],
    ['D6 nine digits are cut, not rounded', '2026-03-01T08:30:00.999999999Z', '2026-03-01T08:30:00.999Z'],
    ['D6 the second before midnight', '2026-12-31T23:59:59.999', '2026-12-31T23:59:59.999Z'],
    ['D6 29 February of a leap year', '2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['D6 29 February 2000', '2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['D6 the first year', '0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['D6 the year 0099 is not 1999', '0099-12-31', '0099-12-31T00:00:00.000Z'],
    ['D6 the last instant', '9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
    ['D6 an offset that stays within the first year', '0001-01-01T01:00+01:00', '0001-01-01T00:00:00.000Z'],
  ])('%s', (_, text, expected) => {
    expect(iso(text)).toBe(expected);
  });

  it('D6 a date that covers its day ends with its last millisecond; a time stands for itself', () => {
    expect(iso('2026-03-01', 'end')).toBe('2026-03-01T23:59:59.999Z');
    expect(iso('9999-12-31', 'end')).toBe('9999-12-31T23:59:59.999Z');
    expect(iso('2026-03-01T00:00', 'end')).toBe('2026-03-01T00:00:00.000Z');
  });

  it.each([
    ...['', ' ', '2026', '2026-03', '20260301', '2026-3-1', '26-03-01', '02026-03-01', '+002026-03-01', '-0001-01-01'],
    ...['2026-W09-7', '2026W097', '2026-060', '2026-02-30', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01'],
    ...['2026-00-01', '2026-01-00', '2026-01-32', '0000-01-01', '10000-01-01', '2026-03-01T', '2026-03-01T08'],
    ...['2026-03-01T08:30:60', '2026-03-01T23:59:60Z', '2026-03-01T24:00', '2026-03-01T24:00:00Z', '2026-03-01T08:60'],
    ...['2026-03-01t08:30Z', '2026-03-01T08:30z', '2026-03-01 08:30', '2026-03-01T0830', '2026-03-01T8:30'],
    ...['2026-03-01T08:30:00.', '2026-03-01T08:30:00,5', '2026-03-01T08:30.5', '2026-03-01T08:30:00.1234567890'],
    ...['2026-03-01T08:30+1', '2026-03-01T08:30+01', '2026-03-01T08:30+0100', '2026-03-01T08:30+24:00'],
    ...[
      '2026-03-01T08:30+01:60',
      '2026-03-01T08:30 01:00',
      '2026-03-01T08:30−01:00',
      '2026-03-01Z',
      '2026-03-01+01:00',
    ],
    ...[
      ' 2026-03-01',
      '2026-03-01 ',
      '2026-03-01\n',
      '٢٠٢٦-٠٣-٠١',
      '1772323200',
      'Sun, 01 Mar 2026',
      'today',
      '__proto__',
    ],
    ...['0001-01-01T00:00+00:01', '9999-12-31T23:59:59-00:01', '2026-03-01/P1D', '2026-03-01T08:30Z2026-03-01T08:30Z'],
  ])('D6 refuses %j', (text) => {
    expect(parseDate(text)).toBeUndefined();
    expect(parseDate(text, 'end')).toBeUndefined();
  });

  it('D6 reads any valid date-time with any offset as an independent computation does', () => {
    fc.assert(
      fc.property(anyDateTime, (text) => {
        expect(parseDate(text)?.getTime() ?? NaN).toBe(oracle(text, 'start'));
      }),
    );
  });

  it('D6 refuses any other text, or reads it as an independent reader does', () => {
    const texts = fc.oneof(anyText(), lookalike, nearMiss, anyDate);
    fc.assert(
      fc.property(texts, fc.constantFrom('start' as const, 'end' as const), (text, means) => {
        expect(parseDate(text, means)?.getTime() ?? NaN).toBe(oracle(text, means));
      }),
    );
  });

  it.each(['America/New_York', 'Pacific/Kiritimati'])('D6 the zone of the server, %s, does not matter', (zone) => {
    const texts = ['2026-03-08T02:30:00', '2026-11-01', '0001-01-01', '2026-07-01T00:00+05:45'];
    const answers = callInZone(zone, 'src/common/iso-date.ts', 'parseDate', texts.map((text) => [text])); // prettier-ignore
    expect(answers).toEqual(texts.map((text) => iso(text)));
  });
});

describe('isoUtc', () => {
  it('D6 D13 says what parseDate reads, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(anyDateTime, lookalike, nearMiss), (text) => {
        expect(isoUtc(text)).toBe(parseDate(text)?.toISOString());
      }),
    );
  });
});
