import { NearestNames } from './nearest-name';

const PAGED = ['PageNumber', 'PageSize', 'SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'SortBy', 'SortDirection']; // prettier-ignore
const nearest = new NearestNames(PAGED);

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
    expect(nearest.of(name)).toBe(expected);
  });

  it.each([
    ['page', 'PageNumber'],
    ['Page_', 'PageNumber'],
    ['statusDescriptionText', 'Status'],
    ['sortdir', 'SortDirection'],
  ])('D38 one begins with the other, in four characters or more: %s is near %s', (name, expected) => {
    expect(nearest.of(name)).toBe(expected);
  });

  it.each(['', '[]', 'x', 'pag', 'size', 'colour', 'utm_source', 'Kelvin', '😀'])('D38 nothing is near %j', (name) => {
    expect(nearest.of(name)).toBeUndefined();
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
