import * as fc from 'fast-check';
import { parseStringList } from '../../../test/support/structured-field';
import { ignoredHint, listIgnored, NearestNames } from './ignored-parameters';
import { anyText } from '../../../test/support/any-text';

const nearest = new NearestNames(['PageNumber', 'FromDate']);
const list = (...names: string[]): string | undefined =>
  listIgnored(
    names.map((name) => ({ name, isValue: false })),
    (name) => ignoredHint(undefined, nearest.of(name)),
  );

describe('listIgnored', () => {
  it('D38 lists each name once, with a near known name', () => {
    expect(list('from_date', 'colour', 'page', 'colour', 'Colour')).toBe(
      '"from_date";did-you-mean="FromDate", "colour", "page";did-you-mean="PageNumber", "Colour"',
    );
  });

  it('D53 lists values, and names the operation of a parameter instead of a near name', () => {
    const ignored = ['SortBy', 'page', 'SortBy'].map((name) => ({ name, isValue: name === 'SortBy' }));
    expect(listIgnored(ignored, (name) => ignoredHint('GetA', nearest.of(name)))).toBe(
      '"SortBy";value, "page";of="GetA"',
    );
  });

  it('D38 escapes quotes and backslashes', () => {
    expect(list('a"b\\c')).toBe('"a\\"b\\\\c"');
  });

  it.each(['', 'é', 'a\tb', 'a\nb', '\u007f', 'x'.repeat(65)])('D38 leaves %j out', (name) => {
    expect(list(name)).toBeUndefined();
    expect(list(name, 'x')).toBe('"x"');
  });

  it('D38 a name of 64 characters, and of a space, is listed', () => {
    expect(list('x'.repeat(64), ' ')).toBe(`"${'x'.repeat(64)}", " "`);
  });

  it('D38 lists ten at most; those that are left out do not count', () => {
    const names = ['é', ...Array.from({ length: 12 }, (_, index) => `n${index}`)];
    expect(parseStringList(list(...names) ?? '').map(({ text }) => text)).toEqual(names.slice(1, 11));
  });

  it('D38 is a structured-field list of at most ten members, whatever the names', () => {
    const name = fc.oneof(fc.string(), anyText(), fc.constantFrom('page', 'from_date', '"', '\\'));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 100 }), (names) => {
        const header = list(...names);
        if (header === undefined) return;
        const members = parseStringList(header);
        expect(members.length).toBeLessThanOrEqual(10);
        for (const { text, parameters } of members) {
          expect(names).toContain(text);
          const suggestion = nearest.of(text);
          expect(parameters).toEqual(suggestion === undefined ? {} : { 'did-you-mean': suggestion });
        }
      }),
    );
  });
});

const PAGED = ['PageNumber', 'PageSize', 'SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'SortBy', 'SortDirection']; // prettier-ignore
const pagedNames = new NearestNames(PAGED);

describe('NearestNames', () => {
  it.each([
    ['from_date', 'FromDate'],
    ['to-date', 'ToDate'],
    ['PageNumber[]', 'PageNumber'],
    ['page(size)', 'PageSize'],
    ['ORDER_ID', 'OrderId'],
    ['SearchTrem', 'SearchTerm'],
    ['search', 'SearchTerm'],
    ['number', 'PageNumber'],
    ['state', 'Status'],
    ['sort', 'SortBy'],
  ])('D38 at most 40 %% of the longer name differ: %s is near %s', (name, expected) => {
    expect(pagedNames.of(name)).toBe(expected);
  });

  it.each([
    ['page', 'PageNumber'],
    ['Page_', 'PageNumber'],
    ['statusDescriptionText', 'Status'],
    ['sortdir', 'SortDirection'],
  ])('D38 one begins with the other, in four characters or more: %s is near %s', (name, expected) => {
    expect(pagedNames.of(name)).toBe(expected);
  });

  it.each(['', '[]', 'x', 'pag', 'size', 'colour', 'utm_source', 'Kelvin', '😀'])('D38 nothing is near %j', (name) => {
    expect(pagedNames.of(name)).toBeUndefined();
  });

  it('D38 exactly 40 % are near, more are not', () => {
    const five = new NearestNames(['abcde']);
    expect([five.of('abcxy'), five.of('abxyz')]).toEqual(['abcde', undefined]);
  });

  it('D38 three characters in common are no beginning', () => {
    const short = new NearestNames(['Idx']);
    expect(short.of('identification')).toBeUndefined();
    expect(short.of('idxOfTheRecord')).toBeUndefined();
  });

  it('D38 of several the one with the fewest differences is nearest, then the first', () => {
    const both = new NearestNames(['Datex', 'Date', 'Dates']);
    expect([both.of('Date_'), both.of('Datey')]).toEqual(['Date', 'Datex']);
  });

  it('D38 without known names nothing is near', () => {
    expect(new NearestNames([]).of('Status')).toBeUndefined();
  });
});
