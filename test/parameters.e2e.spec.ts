import * as fc from 'fast-check';
import {
  expectAnswer,
  expectBadInput,
  expectPlainMessage,
  PAGE_NUMBER_MESSAGE,
  PAGE_SIZE_MESSAGE,
  PATH_ID,
} from './support/expectations';
import {
  BY_ID,
  DETAILS,
  type Operation,
  PAGED,
  parameters,
  sentParameters,
  SINGLE,
  STRICT,
  withQuery,
} from './support/operations';
import { startScriptedService, useScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { WireClient } from './support/upstream/wire-client';

const PAGING_DEFAULTS = { PageNumber: '1', PageSize: '10', SortBy: 'CreatedDate', SortDirection: 'desc' };

describe('parameters', () => {
  const scripted = useScriptedService();

  const ask = (request: string, headers: Record<string, string> = {}) => scripted.service.request(request, headers);

  /** A row: its name, the query of the operation, and what the external system is asked (paging defaults aside). */
  type SentRow = readonly [name: string, operation: Operation, query: string, sent: Record<string, string>];

  /** Every row is a 200, and the external system has been asked for exactly this. */
  function sends(rows: readonly SentRow[]): void {
    it.each(rows)('%s', async (_, operation, query, sent) => {
      expectAnswer(operation, await ask(`${operation.name}?${query}`), 'complete');
      const all = operation === PAGED ? { ...PAGING_DEFAULTS, ...sent } : sent;
      expect(sentParameters(scripted.upstream)).toEqual(parameters(all));
    });
  }

  /** A row: its name, the request, the parameter that is to blame, and what the message has to say. */
  type RefusedRow = readonly [name: string, request: string, parameter?: string | RegExp, message?: RegExp];

  /** Every row is a 400 as problem+json that reaches no external system. */
  function refuses(rows: readonly RefusedRow[], headers: Record<string, string> = {}): void {
    const cases = rows.map((row) => [row[0], row] as const);
    it.each(cases)('%s is 400 and reaches no external system', async (_, [, request, parameter, message]) => {
      expectBadInput(await ask(request, headers), parameter, message);
      expect(scripted.upstream.calls).toEqual([]);
    });
  }

  /** A row: its name, the query of the paged list, and the plain message of its response. */
  function refusesPlainly(rows: readonly (readonly [string, string, string])[]): void {
    it.each(rows)('%s is the plain message and reaches no external system', async (_, query, message) => {
      expectPlainMessage(await ask(`GetShippingPagedList?${query}`), message);
      expect(scripted.upstream.calls).toEqual([]);
    });
  }

  describe('D1 names', () => {
    const spellings: [string, (name: string) => string][] = [
      ['PascalCase', (name) => name],
      ['lower case', (name) => name.toLowerCase()],
      ['percent-encoded', (name) => [...name].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
    ];
    const filters = { OrderId: 'ORD-1', Status: 'Created', FromDate: '2026-01-01', ToDate: '2026-01-02' };
    const sentFilters = { ...filters, FromDate: '2026-01-01T00:00:00.000Z', ToDate: '2026-01-02T23:59:59.999Z' };
    const samples: [Operation, Record<string, string>, Record<string, string>][] = [
      [
        SINGLE,
        { Id: 'SHP-1', TrackingNumber: 'T1', ...filters },
        { Id: 'SHP-1', TrackingNumber: 'T1', ...sentFilters },
      ],
      [DETAILS, { SearchTerm: 'x', Limit: '5', ...filters }, { SearchTerm: 'x', Limit: '5', ...sentFilters }],
      [
        PAGED,
        { SearchTerm: 'x', PageNumber: '2', PageSize: '5', SortBy: 'Status', SortDirection: 'asc', ...filters },
        { SearchTerm: 'x', PageNumber: '2', PageSize: '5', SortBy: 'Status', SortDirection: 'asc', ...sentFilters },
      ],
    ];
    sends(
      spellings.flatMap(([spelling, spell]) =>
        samples.map(([operation, values, sent]): SentRow => {
          const query = Object.entries(values).map(([name, value]) => `${spell(name)}=${value}`);
          return [`D1 ${operation.name} takes its parameters in ${spelling}`, operation, query.join('&'), sent];
        }),
      ),
    );

    const known: [Operation, string[]][] = [
      [SINGLE, ['Id', 'OrderId', 'TrackingNumber', 'Status', 'FromDate', 'ToDate']],
      [DETAILS, ['SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'Limit']],
      [PAGED, ['SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'SortBy', 'SortDirection']],
    ];
    refuses(
      known.flatMap(([operation, names]) =>
        names.flatMap((name): RefusedRow[] => {
          const base = operation === SINGLE ? 'GetShippingSingle?Id=SHP-1&' : `${operation.name}?`;
          const duplicate = (query: string): RefusedRow => [
            `D1 ${operation.name} ${query}`,
            name === 'Id' ? `${operation.name}?${query}` : base + query,
            name,
          ];
          return [duplicate(`${name}=1&${name.toLowerCase()}=2`)];
        }),
      ),
    );
    refuses([
      ['D1 a name given twice, the same', 'GetShippingDetails?OrderId=1&OrderId=1', 'OrderId'],
      ['D1 a name given twice, blank', 'GetShippingDetails?OrderId=&ORDERID=%20', 'OrderId'],
      ['D1 a name given twice, once percent-encoded', 'GetShippingDetails?OrderId=1&%4frderId=1', 'OrderId'],
      ['D1 a name given twice among others', 'GetShippingDetails?OrderId=1&x=2&Limit=3&&orderid=4', 'OrderId'],
    ]);
    sends([
      ['D1 an unknown name twice is no duplicate', DETAILS, 'x=1&X=2&x=', {}],
      ['D1 names of other operations twice are no duplicates', DETAILS, 'PageNumber=1&pageNumber=2', {}],
      ['D1 brackets make another name', DETAILS, 'OrderId=1&OrderId[]=2&OrderId[0]=3', { OrderId: '1' }],
    ]);
  });

  describe('D2 unknown parameters', () => {
    sends([
      ...['foo=bar', '=', 'foo=%00', '__proto__=x', 'PageSize=0', 'Limits=x', 'Lim%C4%B0t=x'].map((query): SentRow => [
        `D2 ${query} is ignored on the unpaged list`,
        DETAILS,
        query,
        {},
      ]),
      ['D2 Limit is ignored on the paged list', PAGED, 'Limit=x', {}],
      ['D2 TrackingNumber is ignored on the paged list', PAGED, 'TrackingNumber=%00', {}],
      ['D2 SearchTerm is ignored on the single lookup', SINGLE, 'Id=SHP-1&SearchTerm=x', { Id: 'SHP-1' }],
      ['D2 paging is ignored on the single lookup', SINGLE, 'Id=SHP-1&PageNumber=0&PageSize=0', { Id: 'SHP-1' }],
    ]);
    it.each(['foo=bar', 'OrderId=1&OrderId=2'])('D2 %s is ignored on the lookup by identifier', async (query) => {
      expectAnswer(BY_ID, await ask(`GetShippingInfoById/SHP-1?${query}`), 'complete');
      expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/SHP-1');
    });

    describe('under Prefer: handling=strict', () => {
      refuses(
        [
          ['D2 PageNumbr=2', 'GetShippingPagedList?PageNumbr=2', 'PageNumbr', /PageNumber/],
          ['D2 Serchterm=x', 'GetShippingDetails?Serchterm=x', 'Serchterm', /SearchTerm/],
          ['D2 Limits= (blank)', 'GetShippingDetails?Limits=', 'Limits', /Limit/],
          ['D2 Limits=%00', 'GetShippingDetails?Limits=%00', 'Limits', /Limit/],
          ['D2 OrderIds=1', 'GetShippingSingle?Id=SHP-1&OrderIds=1', 'OrderIds', /OrderId/],
          ['D2 __proto__=1', 'GetShippingDetails?__proto__=1', '__proto__'],
          ['D2 a name like no other', 'GetShippingDetails?qqqqqqqqqqqqqqqqqqqqqqqq=1', 'qqqqqqqqqqqqqqqqqqqqqqqq'],
          ['D2 a parameter of the lookup by identifier', 'GetShippingInfoById/SHP-1?foo=1', 'foo'],
          ['D2 a known name of another operation', 'GetShippingPagedList?Limit=1', 'Limit'],
        ],
        STRICT,
      );

      it.each<[string, Operation]>([
        ['GetShippingSingle?id=SHP-1&ORDERID=1', SINGLE],
        ['GetShippingInfoById/SHP-1', BY_ID],
        ['GetShippingDetails?limit=2&status=created&', DETAILS],
        ['GetShippingPagedList?pagenumber=1&sortby=nonsense', PAGED],
      ])('D2 %s has none', async (request, operation) => {
        expectAnswer(operation, await ask(request, STRICT), 'complete');
      });

      it('D2 and D4: a bad paging value is reported before an unknown parameter', async () => {
        expectPlainMessage(await ask('GetShippingPagedList?foo=1&PageSize=0', STRICT), PAGE_SIZE_MESSAGE);
      });
    });
  });

  describe('D3 trimming', () => {
    sends([
      ['D3 SearchTerm', DETAILS, 'SearchTerm=%20%09+abc+%09%20', { SearchTerm: 'abc' }],
      ['D3 SearchTerm keeps inner spaces', DETAILS, 'SearchTerm=+a+%20b+', { SearchTerm: 'a  b' }],
      ['D3 only spaces and tabs are trimmed', DETAILS, 'SearchTerm=%C2%A0a%E2%80%83', { SearchTerm: '\u00a0a\u2003' }],
      ['D3 Status', DETAILS, 'Status=%09Created+', { Status: 'Created' }],
      ['D3 Limit', DETAILS, 'Limit=+7+', { Limit: '7' }],
      ['D3 dates', DETAILS, 'FromDate=+2026-01-01+', { FromDate: '2026-01-01T00:00:00.000Z' }],
      ['D3 Id', SINGLE, 'Id=%20SHP-1%09', { Id: 'SHP-1' }],
      ['D3 TrackingNumber', SINGLE, 'TrackingNumber=+1Z+', { TrackingNumber: '1Z' }],
      ['D3 PageNumber and PageSize', PAGED, 'PageNumber=+2%09&PageSize=+5', { PageNumber: '2', PageSize: '5' }],
      [
        'D3 SortBy and SortDirection',
        PAGED,
        'SortBy=+status+&SortDirection=%09asc',
        { SortBy: 'Status', SortDirection: 'asc' },
      ],
      ...['', '=+%09+'].flatMap((blank): SentRow[] => [
        [
          `D3 'Name${blank}' counts as absent on the unpaged list`,
          DETAILS,
          ['SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'Limit'].map((name) => name + blank).join('&'),
          {},
        ],
        [
          `D3 'Name${blank}' counts as absent on the paged list`,
          PAGED,
          ['PageNumber', 'PageSize', 'SearchTerm', 'OrderId', 'Status', 'FromDate', 'ToDate', 'SortDirection']
            .map((name) => name + blank)
            .join('&'),
          {},
        ],
        [
          `D3 'Name${blank}' counts as absent on the single lookup`,
          SINGLE,
          ['Id', 'TrackingNumber', 'Status', 'FromDate', 'ToDate'].map((name) => name + blank).join('&') + '&OrderId=1',
          { OrderId: '1' },
        ],
      ]),
    ]);
    refuses([
      ['D3 blank criteria only', 'GetShippingSingle?Id=+&OrderId=%09&TrackingNumber='],
      ['D3 an identifier in the path with a space before it', 'GetShippingInfoById/%20SHP-1', PATH_ID],
      ['D3 an identifier in the path with a tab', 'GetShippingInfoById/SHP-1%09', PATH_ID],
    ]);
  });

  describe('D4 integers', () => {
    const NO_INTEGERS = ['0', '-1', '0x10', '1e1', '1.0', '%2B5', '5x', '1%205', '%EF%BC%95', '2147483648', '5%00'];
    /** 1 where the upper bits get lost, and what no number holds. */
    const HUGE = ['4294967297', '9'.repeat(400)];
    const shown = (value: string): string => (value.length > 40 ? `${value.slice(0, 10)}…` : value);
    refusesPlainly([
      ...[...NO_INTEGERS, ...HUGE].map(
        (value) => [`D4 PageNumber=${shown(value)}`, `PageNumber=${value}`, PAGE_NUMBER_MESSAGE] as const,
      ),
      ...['0', '-1', '1e1', '101', '2147483648'].map(
        (value) => [`D4 PageSize=${value}`, `PageSize=${value}`, PAGE_SIZE_MESSAGE] as const,
      ),
    ]);
    refuses(
      ['0', '-1', '1e1', '2147483648'].map((value): RefusedRow => [
        `D4 Limit=${value}`,
        `GetShippingDetails?Limit=${value}`,
        'Limit',
      ]),
    );
    refusesPlainly([
      ['D4 PageNumber twice', 'PageNumber=1&PageNumber=1', PAGE_NUMBER_MESSAGE],
      ['D4 PageSize twice', 'PageSize=10&pageSize=10', PAGE_SIZE_MESSAGE],
      ['D4 PageNumber of invalid percent-encoding', 'PageNumber=%zz', PAGE_NUMBER_MESSAGE],
      ['D4 PageSize of invalid UTF-8', 'PageSize=%ff', PAGE_SIZE_MESSAGE],
      ['D4 both bad', 'PageSize=0&PageNumber=0', PAGE_NUMBER_MESSAGE],
      ['D4 before a bad Status', 'Status=nonsense&PageSize=101', PAGE_SIZE_MESSAGE],
      ['D4 before a bad date', 'FromDate=nonsense&ToDate=x&PageNumber=x', PAGE_NUMBER_MESSAGE],
      ['D4 before a duplicate', 'OrderId=1&OrderId=1&PageNumber=0', PAGE_NUMBER_MESSAGE],
      ['D4 before a control character', 'SearchTerm=%00&PageSize=0', PAGE_SIZE_MESSAGE],
      ['D4 before invalid percent-encoding elsewhere', 'SearchTerm=%zz&PageNumber=0', PAGE_NUMBER_MESSAGE],
    ]);
    sends([
      ['D4 PageNumber=007 is 7', PAGED, 'PageNumber=007', { PageNumber: '7' }],
      ['D4 PageNumber=+5 is a space and 5', PAGED, 'PageNumber=+5', { PageNumber: '5' }],
      ['D4 the greatest PageNumber', PAGED, 'PageNumber=2147483647', { PageNumber: '2147483647' }],
      [
        'spec: Limits PageNumber=1 and PageSize=1',
        PAGED,
        'PageNumber=1&PageSize=1',
        { PageNumber: '1', PageSize: '1' },
      ],
      ['spec: Limits PageSize=100', PAGED, 'PageSize=100', { PageSize: '100' }],
      ['spec: Limits paging left out is 1 and 10', PAGED, '', {}],
      ['D4 Limit=007', DETAILS, 'Limit=007', { Limit: '7' }],
      ['D4 D43 the greatest Limit, sent as MAX_LIMIT', DETAILS, 'Limit=2147483647', { Limit: '10000' }],
      ['spec: Limits Limit left out', DETAILS, '', {}],
    ]);
  });

  describe('D5 Status', () => {
    const NAMES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
    const withStatus: [Operation, string][] = [
      [SINGLE, 'Id=SHP-1&'],
      [DETAILS, ''],
      [PAGED, ''],
    ];
    sends(
      withStatus.flatMap(([operation, base]) =>
        NAMES.flatMap((name) =>
          [name.toUpperCase()].map((text): SentRow => [
            `D5 ${operation.name} Status=${text}`,
            operation,
            `${base}Status=${text}`,
            { Status: name, ...(base && { Id: 'SHP-1' }) },
          ]),
        ),
      ),
    );
    const allNames = /Created.*InTransit.*Delivered.*Cancelled.*Unknown/;
    refuses([
      ...[
        '0',
        '__proto__',
        'nonsense',
        'In%20Transit',
        'Created,Delivered',
        'Create',
        'Del%C4%B1vered', // a dotless i, which is I in upper case
        'InTran%C5%BFit', // a long s, which is S in upper case
      ].map((value): RefusedRow => [`D5 Status=${value}`, `GetShippingDetails?Status=${value}`, 'Status', allNames]),
      ['D5 on the single lookup', 'GetShippingSingle?Id=SHP-1&Status=nonsense', 'Status', allNames],
      ['D5 on the paged list', 'GetShippingPagedList?Status=1', 'Status', allNames],
    ]);
  });

  describe('D6 dates', () => {
    const sent: [string, string][] = [
      ['2026-01-15T10:30', '2026-01-15T10:30:00.000Z'],
      ['2026-01-15T10:30:15', '2026-01-15T10:30:15.000Z'],
      ['2026-01-15T10:30:15.1', '2026-01-15T10:30:15.100Z'],
      ['2026-01-15T23:59:59.999999999', '2026-01-15T23:59:59.999Z'],
      ['2026-01-15T10:30%2B05:30', '2026-01-15T05:00:00.000Z'],
      ['2026-01-15T22:30:15.5-05:30', '2026-01-16T04:00:15.500Z'],
      ['2026-01-01T00:30%2B01:00', '2025-12-31T23:30:00.000Z'],
      ['2024-02-29T12:00Z', '2024-02-29T12:00:00.000Z'],
      ['2026-03-29T02:30', '2026-03-29T02:30:00.000Z'], // no such time in much of Europe
      ['0001-01-01T00:00', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999', '9999-12-31T23:59:59.999Z'],
    ];
    sends([
      ...sent.map(([date, iso]): SentRow => [`D6 FromDate=${date}`, DETAILS, `FromDate=${date}`, { FromDate: iso }]),
      ['D6 ToDate', PAGED, 'ToDate=2026-01-15T10:30', { ToDate: '2026-01-15T10:30:00.000Z' }],
      [
        'D6 a date-only FromDate starts that day',
        DETAILS,
        'FromDate=2026-01-15',
        { FromDate: '2026-01-15T00:00:00.000Z' },
      ],
      ['D6 a date-only ToDate covers it whole', DETAILS, 'ToDate=2026-01-15', { ToDate: '2026-01-15T23:59:59.999Z' }],
      ['D6 the first day', PAGED, 'FromDate=0001-01-01', { FromDate: '0001-01-01T00:00:00.000Z' }],
      ['D6 the last day', PAGED, 'ToDate=9999-12-31', { ToDate: '9999-12-31T23:59:59.999Z' }],
      [
        'D6 one day, from and to',
        PAGED,
        'FromDate=2026-01-15&ToDate=2026-01-15',
        { FromDate: '2026-01-15T00:00:00.000Z', ToDate: '2026-01-15T23:59:59.999Z' },
      ],
      [
        'D6 one instant, from and to',
        DETAILS,
        'FromDate=2026-01-15T10:00Z&ToDate=2026-01-15T12:00%2B02:00',
        { FromDate: '2026-01-15T10:00:00.000Z', ToDate: '2026-01-15T10:00:00.000Z' },
      ],
      [
        'D6 an order that only the zones make right',
        SINGLE,
        'OrderId=1&FromDate=2026-01-16T00:30%2B01:00&ToDate=2026-01-15',
        { OrderId: '1', FromDate: '2026-01-15T23:30:00.000Z', ToDate: '2026-01-15T23:59:59.999Z' },
      ],
    ]);

    const impossible = [
      '2026-02-30',
      '2026-02-29',
      '2026-13-01',
      '0000-01-01',
      '2026-01-15T24:00',
      '2026-12-31T23:59:60Z',
      '2026-01-15T10:30%2B24:00',
      '2026-W03-4',
      '2026',
      '20260115',
      '2026-1-5',
      '12026-01-15',
      '2026-01-15t10:30:00z',
      '2026-01-15%2010:30:00',
      '2026-01-15T10',
      '2026-01-15T10:30:15.',
      '2026-01-15T10:30:15.1234567890Z',
      '2026-01-15%2B02:00',
      '2026-01-15T10:30%2B0200',
      '2026-01-15T10:30EST',
      '1768471800',
      'now',
      '%D9%A2%D9%A0%D9%A2%D9%A6-01-15', // Arabic digits
      // These would have to be sent as a year that has not four digits.
      '0001-01-01T00:00%2B00:01',
      '9999-12-31T23:59-00:01',
    ];
    refuses([
      ...impossible.map((date): RefusedRow => [
        `D6 FromDate=${date}`,
        `GetShippingDetails?FromDate=${date}`,
        'FromDate',
      ]),
      ['D6 ToDate=2026-02-30', 'GetShippingPagedList?ToDate=2026-02-30', 'ToDate'],
    ]);
    refuses([
      ['D6 a bad date on the single lookup', 'GetShippingSingle?Id=SHP-1&FromDate=2026-02-30', 'FromDate'],
      ...['FromDate', 'ToDate'].flatMap((name): RefusedRow[] => [
        [`D6 ${name} whose + arrived as a space`, `GetShippingDetails?${name}=2026-01-15T10:30:00+02:00`, name, /%2B/],
        [`D6 ${name} whose + became %20`, `GetShippingPagedList?${name}=2026-01-15T10:30%2002:00`, name, /%2B/],
      ]),
      ['D6 from after to', 'GetShippingDetails?FromDate=2026-01-16&ToDate=2026-01-15'],
      ['D6 from after to, paged', 'GetShippingPagedList?ToDate=2026-01-15&FromDate=2026-01-16'],
      ['D6 from after to, single', 'GetShippingSingle?Id=SHP-1&ToDate=2026-01-15&FromDate=2026-01-16'],
      [
        'D6 from after to by a millisecond',
        'GetShippingDetails?FromDate=2026-01-15T10:00:00.001&ToDate=2026-01-15T10:00',
      ],
      ['D6 from after to by the zone', 'GetShippingDetails?FromDate=2026-01-15T10:00-01:00&ToDate=2026-01-15T10:30Z'],
    ]);
  });

  describe('D7 text', () => {
    const truck = '\u{1f69a}';
    const encodedTruck = encodeURIComponent(truck);
    const limits: [Operation, string, number][] = [
      [DETAILS, 'SearchTerm', 200],
      [PAGED, 'SearchTerm', 200],
      [SINGLE, 'OrderId', 64],
      [DETAILS, 'OrderId', 64],
      [PAGED, 'OrderId', 64],
      [SINGLE, 'TrackingNumber', 64],
    ];
    sends(
      limits.flatMap(([operation, name, max]): SentRow[] => [
        [
          `D7 ${operation.name} ${name} of ${max}`,
          operation,
          `${name}=${'x'.repeat(max)}`,
          { [name]: 'x'.repeat(max) },
        ],
        [
          `D7 ${operation.name} ${name} of ${max} code points beyond the BMP, and spaces around them`,
          operation,
          `${name}=++${encodedTruck.repeat(max)}++`,
          { [name]: truck.repeat(max) },
        ],
      ]),
    );
    refuses(
      limits.flatMap(([operation, name, max]): RefusedRow[] => [
        [`D7 ${operation.name} ${name} of ${max + 1}`, `${operation.name}?${name}=${'x'.repeat(max + 1)}`, name],
        [
          `D7 ${operation.name} ${name} of ${max + 1} code points`,
          `${operation.name}?${name}=${encodedTruck.repeat(max + 1)}`,
          name,
        ],
        [`D7 ${operation.name} ${name} with NUL in it`, `${operation.name}?${name}=a%00b`, name],
      ]),
    );
    refuses([
      ...['%01b', 'a%09b', '%0A', '%1F', '%7F', 'a%C2%80', '%C2%9F'].map((text): RefusedRow => [
        `D7 a control character in SearchTerm=${text}`,
        `GetShippingDetails?SearchTerm=${text}`,
        'SearchTerm',
      ]),
      ['D7 a control character in Status', 'GetShippingDetails?Status=Created%00', 'Status'],
      ['D7 a control character in SortBy', 'GetShippingPagedList?SortBy=Sta%00tus', 'SortBy'],
      ['D7 a control character in SortDirection', 'GetShippingPagedList?SortDirection=asc%0D%0AX-Y:1', 'SortDirection'],
      ['D7 a control character in Id', 'GetShippingSingle?Id=SHP-1%00', 'Id'],
    ]);
    sends([
      ['D7 a control character in an unknown parameter', DETAILS, 'foo=%00%0A', {}],
      ['D7 what only looks like one', DETAILS, 'SearchTerm=%2500%250A%C2%AD', { SearchTerm: '%00%0A\u00ad' }],
      [
        'D7 any script',
        DETAILS,
        `SearchTerm=${encodeURIComponent('Göteborg 東京 Ελλάδα')}`,
        { SearchTerm: 'Göteborg 東京 Ελλάδα' },
      ],
      ['D7 nothing is normalised', DETAILS, 'SearchTerm=e%CC%81%C3%A9', { SearchTerm: 'e\u0301\u00e9' }],
      [
        'D7 no quoting',
        DETAILS,
        `SearchTerm=${encodeURIComponent(`'";--<b>{{}}$\\`)}`,
        { SearchTerm: `'";--<b>{{}}$\\` },
      ],
    ]);

    const malformed = [
      'SearchTerm=%',
      'SearchTerm=%u0041',
      'SearchTerm=%ff',
      'SearchTerm=%C3%28',
      'SearchTerm=%C0%80', // overlong
      'SearchTerm=%ED%A0%80', // half of a surrogate pair
      'SearchTerm=%F4%90%80%80', // beyond Unicode
      'foo=%zz',
      '%zz=1',
      'foo=1&&%',
    ];
    refuses(
      ['GetShippingSingle?Id=SHP-1', 'GetShippingInfoById/SHP-1', 'GetShippingDetails', 'GetShippingPagedList'].flatMap(
        (request) =>
          (request === 'GetShippingDetails' ? malformed : ['foo=%zz']).map((query): RefusedRow => [
            `D7 ${request} with ${query}`,
            withQuery(request, query),
          ]),
      ),
    );
    it.each(['SearchTerm=\u00ff', 'foo=a\u00e9'])('D7 raw bytes that are no UTF-8 (%j) are 400', async (query) => {
      const client = WireClient.to(scripted.service.url);
      client.get(`/api/Shipping/GetShippingDetails?${query}`, { Connection: 'close' });
      expect((await client.response()).head).toMatch(/^HTTP\/1\.1 400 /);
      expect(scripted.upstream.calls).toEqual([]);
    });
  });

  describe('D9 identifiers', () => {
    const longest = `A${'9'.repeat(63)}`;
    const sound = ['A', '0', 'a..b-c_d', 'constructor', longest];
    it.each(sound)('D9 %s is sent as it is', async (id) => {
      expectAnswer(BY_ID, await ask(`GetShippingInfoById/${id}`), 'complete');
      expectAnswer(SINGLE, await ask(`GetShippingSingle?Id=${id}`), 'complete');
      expect(scripted.upstream.calls.map((call) => call.target)).toEqual([
        `/shippings/by-id/${id}`,
        `/shippings/single?Id=${id}`,
      ]);
    });

    it('D9 a percent-encoded identifier is the same one', async () => {
      expectAnswer(BY_ID, await ask('GetShippingInfoById/%53%48P%2D1'), 'complete');
      expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/SHP-1');
    });

    const unsound = [
      '-a',
      '.',
      '..',
      '%2e%2e',
      '..%2F..%2Fadmin',
      '%2F%2Fevil.example%2Fx',
      '..%5C..%5Cadmin',
      'a%3Fb=c',
      'a%23b',
      'a@b',
      'a;b',
      'a%20b',
      '%7Bid%7D',
      'a%252Fb',
      'a%00',
      'a%0A',
      '%C3%A9',
      'a%E2%84%AA', // the sign of the kelvin
      `${longest}9`,
    ];
    refuses([
      ...unsound.map((id): RefusedRow => [`D9 GetShippingInfoById/${id}`, `GetShippingInfoById/${id}`, PATH_ID]),
      ...['-a', '..', '..%2F..%2Fadmin', 'a%20b', `${longest}9`].map((id): RefusedRow => [
        `D9 GetShippingSingle?Id=${id}`,
        `GetShippingSingle?Id=${id}`,
        'Id',
      ]),
    ]);
    refuses([
      ['D9 an identifier of invalid percent-encoding', 'GetShippingInfoById/%zz'],
      ['D9 an identifier of half an escape', 'GetShippingInfoById/SHP-1%2'],
      ['D9 an identifier of invalid UTF-8', 'GetShippingInfoById/%ff'],
      ['D9 an identifier of 5000 characters', `GetShippingInfoById/${'9'.repeat(5000)}`],
    ]);

    describe('with another SHIPPING_ID_PATTERN', () => {
      it('D9 SHIPPING_ID_PATTERN decides', async () => {
        const digits = await startScriptedService({ SHIPPING_ID_PATTERN: '^[0-9]{1,3}$' });
        digits.upstream.respondWith(json());
        expectAnswer(BY_ID, await digits.service.request('GetShippingInfoById/12'), 'complete');
        expectBadInput(await digits.service.request('GetShippingInfoById/SHP-1'), PATH_ID);
        expectBadInput(await digits.service.request('GetShippingInfoById/1234'), PATH_ID);
        expectBadInput(await digits.service.request('GetShippingSingle?Id=SHP-1'), 'Id');
        expect(digits.upstream.calls).toHaveLength(1);
        await digits.close();
      });

      it('D9 no identifier changes host or path, however lax the pattern', async () => {
        const lax = await startScriptedService({ SHIPPING_ID_PATTERN: '^[^]+$' });
        lax.upstream.respondWith(json());
        const ids = [
          '..',
          '.',
          '%2e%2e',
          '%2E',
          'a%2Fb',
          '..%2F..%2Fx',
          '%2F%2Fevil.example',
          '%5C..%5C',
          'a%3Fb%23c',
          '%25',
        ];
        for (const id of ids) {
          const { status } = await lax.service.request(`GetShippingInfoById/${id}`);
          expect([id, [200, 400].includes(status)]).toEqual([id, true]);
        }
        expect(lax.upstream.calls.length).toBeGreaterThan(0);
        for (const { target } of lax.upstream.calls) expect(target).toMatch(/^\/shippings\/by-id\/[^/?#\\]+$/);
        await lax.close();
      });
    });
  });

  describe('D10 no identifier', () => {
    refuses(
      ['', '/', '?id=SHP-1'].map((rest): RefusedRow => [
        `D10 GetShippingInfoById${rest}`,
        `GetShippingInfoById${rest}`,
        PATH_ID,
      ]),
    );
    refuses([['D10 in lower case', 'getshippinginfobyid/', PATH_ID]]);
  });

  describe('D11 criteria of the single lookup', () => {
    const narrowing = { Status: 'Created', FromDate: '2026-01-01T00:00:00.000Z', ToDate: '2026-01-02T00:00:00.000Z' };
    const identifying: Record<string, string>[] = [
      { Id: 'SHP-1' },
      { OrderId: 'ORD/1' },
      { TrackingNumber: '1Z 9' },
      { Id: 'SHP-1', OrderId: 'ORD-1', TrackingNumber: '1Z' },
    ];
    sends(
      identifying.flatMap((criteria) =>
        [criteria, { ...criteria, ...narrowing }].map((sent): SentRow => [
          `D11 ${Object.keys(sent).join(', ')}`,
          SINGLE,
          new URLSearchParams(sent).toString(),
          sent,
        ]),
      ),
    );
    refuses([
      ['D11 no criterion', 'GetShippingSingle'],
      ['D11 all that narrows', `GetShippingSingle?${new URLSearchParams(narrowing).toString()}`],
      ['D11 unknown names alone', 'GetShippingSingle?Ident=SHP-1&SearchTerm=x'],
      ['D11 blank criteria', 'GetShippingSingle?Id=&OrderId=&TrackingNumber='],
    ]);
  });

  it('D15 several bad parameters are reported together', async () => {
    const answer = await ask(`GetShippingDetails?Limit=0&Status=x&FromDate=x&OrderId=${'x'.repeat(65)}`);
    for (const parameter of ['Limit', 'Status', 'FromDate', 'OrderId']) expectBadInput(answer, parameter);
  });

  describe('D9 any identifier', () => {
    const names = ['Id', 'OrderId', 'TrackingNumber', 'Status', 'FromDate', 'ToDate', 'SearchTerm', 'Limit'];
    const pagingNames = ['PageNumber', 'PageSize', 'SortBy', 'SortDirection'];
    const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    const value = fc.oneof(
      visible.map((text) => text.replaceAll('#', '')),
      fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text)),
      fc.constantFrom('1', '2026-01-01', 'Created', 'SHP-1', '..%2F..', '//evil.example', '@evil.example', '?a=b', '%'),
    );
    const parameter = fc.tuple(fc.oneof(fc.constantFrom(...names, ...pagingNames), value), value);
    const query = fc.array(parameter).map((pairs) => pairs.map(([name, text]) => `${name}=${text}`).join('&'));
    const lookups = ['/shippings/single', '/shippings/details', '/shippings/paged'];

    it.each([SINGLE, DETAILS, PAGED])('no query string of $name gives a 5xx or another path', async ({ name }) => {
      await fc.assert(
        fc.asyncProperty(query, async (text) => {
          const { status } = await ask(`${name}?${text}`);
          expect([200, 400]).toContain(status);
        }),
        { numRuns: 60 },
      );
      const { host } = new URL(scripted.upstream.url);
      for (const call of scripted.upstream.calls) {
        expect(lookups).toContain(call.path);
        expect([call.method, call.headers.host]).toEqual(['GET', host]);
        expect([...names, ...pagingNames]).toEqual(expect.arrayContaining([...call.params.keys()]));
      }
    });

    it('no identifier gives a 5xx or another path', async () => {
      await fc.assert(
        fc.asyncProperty(value, async (id) => {
          const { status } = await ask(`GetShippingInfoById/${id}`);
          expect([200, 400, 404]).toContain(status);
        }),
        { numRuns: 60 },
      );
      for (const { target } of scripted.upstream.calls) {
        expect(target).toMatch(/^\/shippings\/by-id\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
      }
    });
  });
});
