import * as fc from 'fast-check';
import { anyText } from '../../test/support/any-text';
import { dateMessage, isoUtc, parseDate } from './iso-date';

const pad = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0');

/** Texts in the form of a date, whose numbers may be out of bounds, such as month 19. */
const lookalike = fc.stringMatching(
  /^[0-9]{4}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{0,10})?)?(Z|[+-][0-2][0-9]:[0-6][0-9])?)?$/,
);

it.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T08:30', '2026-03-01T08:30:00.000Z'],
  // In New York, where the tests run (see `jest.config.js`), there was no such time.
  ['2026-03-08T02:30:00', '2026-03-08T02:30:00.000Z'],
  ['2026-03-01T22:30:00-03:00', '2026-03-02T01:30:00.000Z'],
  ['2026-03-01T08:30-00:00', '2026-03-01T08:30:00.000Z'],
  ['2026-03-01T08:30:00.999999999Z', '2026-03-01T08:30:00.999Z'],
  ['2026-03-01T08:30:00.1234', '2026-03-01T08:30:00.123Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2000-02-29T23:59:59.5', '2000-02-29T23:59:59.500Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T01:00+01:00', '0001-01-01T00:00:00.000Z'],
  ['0099-12-31', '0099-12-31T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
])('D6 %s is %s', (text, expected) => {
  expect([parseDate(text)?.toISOString(), isoUtc(text)]).toEqual([expected, expected]);
});

it('D6 a date that covers its day ends with its last millisecond; a time stands for itself', () => {
  const ends = ['2026-03-01', '9999-12-31', '2026-03-01T00:00'].map((text) => parseDate(text, 'end')?.toISOString());
  expect(ends).toEqual(['2026-03-01T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '2026-03-01T00:00:00.000Z']);
});

it.each([
  ...['', '2026', '2026-03', '20260301', '2026-3-1', '26-03-01', '+002026-03-01', '2026-W09-7', '2026-060'],
  ...['2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-01', '2026-01-00', '2026-01-32'],
  ...['0000-01-01', '10000-01-01', '0001-01-01T00:00+00:01', '9999-12-31T23:59:59-00:01', '2026-03-01T08:30++01:00'],
  ...['2026-03-01T', '2026-03-01T08', '2026-03-01T08:30:60', '2026-03-01T24:00:00Z', '2026-03-01T08:60:00'],
  ...['2026-03-01t08:30Z', '2026-03-01T08:30z', '2026-03-01 08:30', '2026-03-01T0830', '2026-03-01T8:30'],
  ...['2026-03-01T08:30:00.', '2026-03-01T08:30:00,5', '2026-03-01T08:30.5', '2026-03-01T08:30:00.1234567890'],
  ...['2026-03-01T08:30+01', '2026-03-01T08:30+0100', '2026-03-01T08:30+24:00', '2026-03-01T08:30+01:60'],
  ...['2026-03-01T08:30 01:00', '2026-03-01T08:30−01:00', '2026-03-01Z', '2026-03-01+01:00', ' 2026-03-01'],
  ...['2026-03-01\n', '٢٠٢٦-٠٣-٠١', '1772323200', 'Sun, 01 Mar 2026', '2026-03-01T08:30Z2026-03-01T08:30Z'],
])('D6 %j is no date', (text) => {
  // A whole time behind a day makes the frequent form, which is read without a look at the calendar.
  const read = [parseDate(text), parseDate(text, 'end'), isoUtc(text), isoUtc(`${text}T08:30:00Z`)];
  expect(read).toEqual(read.map(() => undefined));
});

it('D6 reads any instant with any offset', () => {
  const [min, max] = [new Date('0001-01-02T00:00Z'), new Date('9999-12-30T00:00Z')];
  const instants = fc.date({ min, max, noInvalidDate: true });
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000).toISOString().replace('Z', '');
      const text = `${local}${offset < 0 ? '-' : '+'}${pad(offset / 60)}:${pad(offset % 60)}`;
      expect([parseDate(text), isoUtc(text)]).toEqual([instant, instant.toISOString()]);
    }),
  );
});

it('D6 D13 reads what isoUtc formats, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(lookalike, anyText()), (text) => {
      expect(isoUtc(text)).toBe(parseDate(text)?.toISOString());
    }),
  );
});

describe('dateMessage', () => {
  const NO_DAY = 'names a day that does not exist';
  const GENERAL = expect.stringMatching(/^must be an existing ISO 8601 date/) as string;

  it.each([
    ['2026', 'needs a month and a day, as 2026-07-01 has'],
    ['2026-07', 'needs a day, as 2026-07-01 has'],
    ['2026-07-01T08', 'needs the minutes of its time, as T08:00 has'],
    ['2026-07-01 08Z', 'needs a T between date and time, and needs the minutes of its time, as T08:00 has'],
    ['2026-07-01T08+02:00', 'needs the minutes of its time, as T08:00 has'],
    ['2026-07-01T24:00', GENERAL],
    ['2026-07-01T24:00:00Z', GENERAL],
    ['2026-02-30', NO_DAY],
    ['2026-04-31T08:30:00Z', NO_DAY],
    ['2026-02-30 08:30', expect.stringMatching(`, and ${NO_DAY}$`)],
    ['2026-07-32', NO_DAY],
    ['2026-07-31T08:30+0200', 'needs a colon in its zone, as +02:00 has'],
    ['2026-01-15T10:30:00.5-0200', 'needs a colon in its zone, as +02:00 has'],
    ['2026-01-15T10:30+02', expect.stringMatching(/^needs the minutes of its zone/)],
    ['2026-01-15T10:30 0200', expect.stringMatching(/encode the \+ as %2B, and needs a colon/)],
    ['2026-01-15t10:30Z', 'needs a T between date and time'],
    ['2026-01-15T10:30z', GENERAL],
    ['2026-01-15T10:30:00,5Z', GENERAL],
    ['2026-02-30T08:30+0200', `needs a colon in its zone, as +02:00 has, and ${NO_DAY}`],
    [`2026-01-15T10:30+0200${'0'.repeat(9000)}`, GENERAL],
    ['9999-12-31T23:59:59-00:01', GENERAL],
    ['0001-01-01T00:00+00:01', GENERAL],
    ['2026-13-01', GENERAL],
    ['2026-13', GENERAL],
    ['0000', GENERAL],
    ['01.07.2026', GENERAL],
    ['', GENERAL],
  ])('D88 %j %s', (text, expected) => {
    expect([parseDate(text), dateMessage(text)]).toEqual([undefined, expected]);
  });

  it('D88 says something of each text that is no date, and denies only days that do not exist', () => {
    fc.assert(
      fc.property(fc.oneof(lookalike, anyText()), (text) => {
        fc.pre(parseDate(text) === undefined);
        const message = dateMessage(text);
        expect(message).not.toBe('');
        if (message.includes(NO_DAY)) expect(parseDate(text.slice(0, 10))).toBeUndefined();
      }),
    );
  });
});
