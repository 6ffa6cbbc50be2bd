import { normaliseSorting } from './sorting';

const KEYS: [given: string | undefined, SortBy: string, honoursDirection: boolean][] = [
  [undefined, 'CreatedDate', true],
  ['CreatedDate', 'CreatedDate', true],
  ['createddate', 'CreatedDate', true],
  ['CREATEDDATE', 'CreatedDate', true],
  ['Status', 'Status', true],
  ['sTATUS', 'Status', true],
  ['TrackingNumber', 'TrackingNumber', true],
  ['trackingnumber', 'TrackingNumber', true],
  ['', 'CreatedDate', false],
  [' ', 'CreatedDate', false],
  ['OrderId', 'CreatedDate', false],
  ['Status ', 'CreatedDate', false],
  ['created_date', 'CreatedDate', false],
  ['__proto__', 'CreatedDate', false],
  // A long s and the sign of the kelvin are S and K in upper case.
  ['Statu\u017f', 'CreatedDate', false],
  ['Trac\u212aingNumber', 'CreatedDate', false],
  ['Status,TrackingNumber', 'CreatedDate', false],
];

const DIRECTIONS: [given: string | undefined, direction: string][] = [
  ['asc', 'asc'],
  ['ASC', 'asc'],
  ['aSc', 'asc'],
  ['desc', 'desc'],
  ['DESC', 'desc'],
  [undefined, 'desc'],
  ['', 'desc'],
  ['ascending', 'desc'],
  ['asc ', 'desc'],
  ['1', 'desc'],
];

describe('normaliseSorting', () => {
  const cases = KEYS.flatMap(([key, SortBy, honoured]) =>
    DIRECTIONS.map(([given, direction]) => [key, given, SortBy, honoured ? direction : 'desc'] as const),
  );
  it.each(cases)('D8 SortBy %j with SortDirection %j is %s %s', (sortBy, sortDirection, SortBy, SortDirection) => {
    expect(normaliseSorting(sortBy, sortDirection)).toEqual({ SortBy, SortDirection });
  });
});
