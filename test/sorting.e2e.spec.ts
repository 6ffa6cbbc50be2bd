import { expectAnswer, expectBadInput } from './support/expectations';
import { PAGED } from './support/operations';
import { useScriptedService } from './support/service';

describe('D8 sorting', () => {
  const scripted = useScriptedService();

  const KEYS = ['CreatedDate', 'Status', 'TrackingNumber'];
  /** What follows `SortDirection=`, and the direction it means. */
  const DIRECTIONS: readonly (readonly [query: string, direction: string])[] = [
    ['', 'desc'],
    ['&SortDirection=ASC', 'asc'],
    ['&SortDirection=+asc%09', 'asc'],
    ['&SortDirection=DESC', 'desc'],
    ['&SortDirection=%20', 'desc'],
    ['&SortDirection=ascending', 'desc'],
    ['&SortDirection=__proto__', 'desc'],
  ];
  /** Given, and no key: `CreatedDate` `desc` whatever the direction. */
  const NO_KEYS = [
    '',
    '+',
    'nonsense',
    'Id',
    'Created%20Date',
    'CreatedDate,Status',
    '-CreatedDate',
    '__proto__',
    'Statu%C5%BF', // a long s, which is S in upper case
    'x'.repeat(1000),
  ];
  const shown = (query: string): string => (query.length > 60 ? `${query.slice(0, 60)}…` : query);

  const rows: [query: string, by: string, direction: string][] = [
    ...DIRECTIONS.map(([query, direction]): [string, string, string] => [`x=1${query}`, 'CreatedDate', direction]),
    ...KEYS.flatMap((key) =>
      DIRECTIONS.map(([query, direction]): [string, string, string] => [`SortBy=${key}${query}`, key, direction]),
    ),
    ...KEYS.map((key): [string, string, string] => [`SortBy=+${key.toLowerCase()}%09`, key, 'desc']),
    ...NO_KEYS.flatMap((text) =>
      ['', '&SortDirection=asc'].map((query): [string, string, string] => [
        `SortBy=${text}${query}`,
        'CreatedDate',
        'desc',
      ]),
    ),
    ['SortBy&SortDirection=asc', 'CreatedDate', 'desc'],
    ['SortDirection=asc&sortBy=TRACKINGnumber', 'TrackingNumber', 'asc'],
  ];

  it.each(rows.map(([query, by, direction]) => [shown(query), by, direction, query]))(
    'D8 %s sorts by %s %s',
    async (_, by, direction, query) => {
      expectAnswer(PAGED, await scripted.service.request(`GetShippingPagedList?${query}`), 'complete');
      expect(
        scripted.upstream.calls.map(({ params }) => [params.getAll('SortBy'), params.getAll('SortDirection')]),
      ).toEqual([[[by], [direction]]]);
    },
  );

  it.each([
    ['D1 SortBy twice', 'SortBy=Status&sortby=Status', 'SortBy'],
    ['D1 SortDirection twice', 'SortDirection=asc&SortDirection=asc', 'SortDirection'],
    ['D7 a control character in SortBy', 'SortBy=Status%00', 'SortBy'],
    ['D7 a control character in SortDirection', 'SortDirection=%1Fasc', 'SortDirection'],
  ])('%s is 400 all the same', async (_, query, parameter) => {
    expectBadInput(await scripted.service.request(`GetShippingPagedList?${query}`), parameter);
    expect(scripted.upstream.calls).toEqual([]);
  });
});
