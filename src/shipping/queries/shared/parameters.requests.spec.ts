import { bind, type Bound } from '../../../../test/support/bound-parameters';
import { PLAIN_MESSAGES } from '../../../../test/support/expected';
import { withQuery } from '../../../../test/support/operations';
import { readSettings } from '../../../config/settings';
import type { UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { upstreamPathOf } from '../../gateway/protocol/upstream-path';
import * as details from '../get-shipping-details/get-shipping-details.query';
import * as byId from '../get-shipping-info-by-id/get-shipping-info-by-id.query';
import * as paged from '../get-shipping-paged-list/get-shipping-paged-list.query';
import * as single from '../get-shipping-single/get-shipping-single.query';

const OPERATIONS = {
  GetShippingSingle: { type: single.GetShippingSingleParams, requestOf: single.requestOf },
  GetShippingInfoById: { type: byId.GetShippingInfoByIdParams, requestOf: byId.requestOf },
  GetShippingDetails: { type: details.GetShippingDetailsParams, requestOf: details.requestOf },
  GetShippingPagedList: { type: paged.GetShippingPagedListParams, requestOf: paged.requestOf },
};

const { paths } = readSettings({}).external;
const BASE = new URL('http://external.example');

/**
 * What comes of a request, and what is sent for it: its parameters, or its path where they are in the path.
 *
 * @param request what follows `/api/Shipping/`
 */
async function ask(request: string, strict = false): Promise<Omit<Bound, 'bound'> & { readonly sent?: object }> {
  const [, name = '', id, query = ''] = /^(\w+)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(request) ?? [];
  const { type, requestOf } = OPERATIONS[name as keyof typeof OPERATIONS];
  const path = id === undefined ? undefined : { id: decodeURIComponent(id) };
  const { bound, ...others } = await bind(type, query, { strict, path });
  if (bound === undefined) return others;
  const { operation, parameters = {}, ...target } = (requestOf as (params: object) => UpstreamRequest)(bound);
  const sent = upstreamPathOf({ path: operation.path(paths), query: { ...parameters }, ...target }, BASE);
  return {
    sent: path === undefined ? Object.fromEntries(new URL(sent, BASE).searchParams) : { path: sent },
    ...others,
  };
}

async function expectBadInput(
  request: string,
  parameter: unknown = expect.any(String),
  message = /\S/,
  strict = false,
) {
  const name: unknown = parameter instanceof RegExp ? expect.stringMatching(parameter) : parameter;
  const error = { parameter: name, message: expect.stringMatching(message) as unknown };
  expect([request, await ask(request, strict)]).toEqual([request, { errors: expect.arrayContaining([error]) }]);
}
async function expectPlainMessage(request: string, about: keyof typeof PLAIN_MESSAGES): Promise<void> {
  expect([request, await ask(request)]).toEqual([request, { plain: PLAIN_MESSAGES[about] }]);
}

/** Each operation with a query string, its shortest valid request, and the parameters that this request sends. */
const DEFAULTS = { PageNumber: '1', PageSize: '10', SortBy: 'CreatedDate', SortDirection: 'desc' };
const QUERYABLE = [
  { name: 'GetShippingSingle', shortest: 'GetShippingSingle?Id=SHP-1', sends: { Id: 'SHP-1' } },
  { name: 'GetShippingDetails', shortest: 'GetShippingDetails', sends: {} },
  { name: 'GetShippingPagedList', shortest: 'GetShippingPagedList', sends: DEFAULTS },
];

const ALL_NAMES = /^must be one of Created, InTransit, Delivered, Cancelled, Unknown$/;
const TWICE = /^is given more than once$/;
const LONG = 'x'.repeat(65);
const TWO_OF_THEM = ['OrderId=&OrderId=', 'OrderId&orderid', 'OrderId=&a=b&OrderId=1', `OrderId=${LONG}&OrderId=1`];
const CONTROL_CHARACTER = '%1F';
/** All characters of Unicode's White_Space, and the invisible ones that are trimmed with them; what is next to them. */
const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join('');
const EN_QUAD_TO_HAIR_SPACE = range(0x2000, 0x200a);
const WHITE_SPACE = encodeURIComponent(
  `\t\n\v\f\r \u0085\u00a0\u1680${EN_QUAD_TO_HAIR_SPACE}\u2028\u2029\u202f\u205f\u3000`,
);
const MARKS = range(0x200b, 0x200f) + range(0x202a, 0x202e) + range(0x2060, 0x2069);
const INVISIBLE = encodeURIComponent(`${MARKS}\ufeff`);
const NEIGHBOURS = encodeURIComponent('\u2010\u2027-\u206a\u2030\u00ad');
/** Texts that are no integer from 1 to 2147483647 in plain decimal digits. */
const BAD_INTEGERS = [
  ...'0 -1 1.0 1. .5 1e1 0x10 %2B5 5x x %205%206 5,0 1_0 %D9%A1 2147483648 NaN Infinity null true %zz 5%00'.split(' '),
  '9'.repeat(400),
];

/** Every row sends these parameters beside its own, for each operation with a query string. */
function eachSends(rows: readonly (readonly [rule: string, query: string, sent: Record<string, string>])[]): void {
  for (const { name, shortest, sends } of QUERYABLE) {
    it.each(rows)(`%s: ${name}`, async (_, query, sent) => {
      expect(await ask(withQuery(shortest, query))).toMatchObject({ sent: { ...sends, ...sent } });
    });
  }
}

type RefusedRow = readonly [rule: string, request: string, parameter?: string | RegExp, message?: RegExp];

/** Every row is a 400 as problem+json. */
function refuses(rows: readonly RefusedRow[], strict = false): void {
  const named = rows.map((row) => [row[0], row] as const);
  it.each(named)('%s: %#', (_, [, request, parameter, message]) => expectBadInput(request, parameter, message, strict));
}

/** Every row is a 400 for each operation with a query string. */
function eachRefuses(rows: readonly RefusedRow[], strict = false): void {
  for (const { shortest } of QUERYABLE) {
    refuses(
      rows.map(([rule, query, ...rest]): RefusedRow => [rule, withQuery(shortest, query), ...rest]),
      strict,
    );
  }
}

/** One row a value. */
const each = (rule: string, values: readonly string[], ...rest: [prefix: string, string, RegExp?]): RefusedRow[] =>
  values.map((value) => [rule, rest[0] + value, rest[1], rest[2]]);

eachSends([
  ['D1 names in PascalCase', 'OrderId=ORD-1', { OrderId: 'ORD-1' }],
  ['D1 names in upper case', 'ORDERID=ORD-1', { OrderId: 'ORD-1' }],
  ['D1 a question mark in a value', 'OrderId=ORD-1&Colour=red?', { OrderId: 'ORD-1' }],
]);
eachRefuses([
  ['D1 a name given twice in another case', 'OrderId=1&orderid=1', 'OrderId'],
  ...each('D1 a name given twice, blank, bad or not', TWO_OF_THEM, '', 'OrderId', TWICE),
]);

describe('D2 names with the brackets of lists', () => {
  eachSends([
    ['D2 brackets', 'Status[]=Created', { Status: 'Created' }],
    ['D2 digits, another case, percent-encoded', 'oRDERiD%5B0042%5d=ORD-1', { OrderId: 'ORD-1' }],
    ['D2 other names in brackets are unknown', 'OrderId[x]=1&OrderId[0=1&OrderId]=1&OrderId[][]=1&[]=1&[0]=1', {}],
  ]);
  eachRefuses([
    ['D1 D2 two of them', 'Status[]=Created&Status[]=Delivered', 'Status', TWICE],
    ['D1 D2 two of them, one blank', 'Status[0]=&Status[1]=Delivered', 'Status', TWICE],
    ['D1 D2 one beside the name', 'orderid=1&OrderId%5B%5D=1', 'OrderId', TWICE],
  ]);
  refuses([['D2 strict: known', 'GetShippingPagedList?Status[]=Lost', 'Status', ALL_NAMES]], true);
  refuses([['D2 strict: unknown', 'GetShippingPagedList?Colour[]=red', /^Colour\[\]$/]], true);
  it.each(['PageNumber[]=0', 'pagenumber%5B3%5D=x', 'PageNumber=1&PageNumber[]=1'])('D2 D4 %s', (query) =>
    expectPlainMessage(`GetShippingPagedList?${query}`, 'PageNumber'),
  );
});

describe('D2 unknown parameters', () => {
  eachSends([['D2 unknown parameters are ignored', 'Colour=red&Colour=blue&x=&y&=&=1', {}]]);
  const KNOWN = /^is not a parameter of this operation; it has .*\bOrderId\b/;
  const near = /did you mean Limit\?$/;
  const paged = /it has PageNumber, PageSize, SortBy, SortDirection, SearchTerm, OrderId, Status, FromDate, ToDate$/;
  refuses(
    [
      ['D2 strict: exactly 40 % differ', 'GetShippingDetails?Limxx=1', 'Limxx', near],
      ['D2 strict: the offset of other services', 'GetShippingPagedList?Offset=100', 'Offset', paged],
      ['D2 strict: none in the query', 'GetShippingInfoById/SHP-1?Id=2', 'Id', /it has none in the query$/],
    ],
    true,
  );
  eachRefuses(
    [
      ['D2 strict: the nearest known name is suggested', 'OrdreId=1', 'OrdreId', /\bOrderId\b/],
      ['D2 strict: whatever the value', 'OrdreId=', 'OrdreId'],
      ['D2 strict: 64 characters of a name are shown', `${'x'.repeat(65)}=1`, 'x'.repeat(64)],
      ['D2 strict: nothing is near', 'colour=red', 'colour', KNOWN],
      ['D2 strict: 43 % differ', 'Tracking=x', 'Tracking', KNOWN],
      ['D2 strict: a parameter without a name', '=1'],
    ],
    true,
  );
});

describe('D3 blanks', () => {
  eachSends([
    ['D3 all white space of Unicode', `OrderId=${WHITE_SPACE}ORD-1${WHITE_SPACE}`, { OrderId: 'ORD-1' }],
    ['D3 invisible characters', `OrderId=${INVISIBLE}ORD-1${INVISIBLE}`, { OrderId: 'ORD-1' }],
    ['D3 D5 before names', `Status=${INVISIBLE}created%C2%A0`, { Status: 'Created' }],
    ['D3 D6 before dates', `ToDate=%EF%BB%BF2026-01-15${WHITE_SPACE}`, { ToDate: '2026-01-15T23:59:59.999Z' }],
    ['D3 D7 before the rule on control characters', 'OrderId=%0D%0AORD-1%C2%85%0C', { OrderId: 'ORD-1' }],
    ['D3 D7 before lengths', `OrderId=${INVISIBLE}${'x'.repeat(64)}${INVISIBLE}`, { OrderId: 'x'.repeat(64) }],
    ['D3 inside they stay', 'OrderId=a%C2%A0%E2%80%8B%20b', { OrderId: 'a\u00a0\u200b b' }],
    ['D3 neighbours of the ranges stay', `OrderId=${NEIGHBOURS}`, { OrderId: decodeURIComponent(NEIGHBOURS) }],
    ['D3 they alone count as absent', `OrderId=${WHITE_SPACE}${INVISIBLE}`, {}],
    ['D3 an empty value counts as absent', 'OrderId&ToDate=&Status=%09+%09&FromDate=+', {}],
  ]);
  const blanks = ['%20', '%C2%A0', '%E2%80%8B', '%EF%BB%BF'];
  refuses(each('D3 the identifier in the path is not trimmed', blanks, 'GetShippingInfoById/SHP-1', 'id'));
  eachRefuses([['D3 D7 a control character inside', 'OrderId=a%0Ab', 'OrderId', /^must not contain control/]]);
});

describe('D4 integers', () => {
  it.each([
    ['PageNumber=007&PageSize=1', { PageNumber: '7', PageSize: '1' }],
    ['PageNumber=2147483647&PageSize=0000100', { PageNumber: '2147483647', PageSize: '100' }],
    ['PageNumber=+5+&PageSize=%20%09', { PageNumber: '5', PageSize: '10' }],
    ['Limit=x', { PageNumber: '1', PageSize: '10' }],
  ])('D4 %s', async (query, sent) => {
    expect(await ask(`GetShippingPagedList?${query}`)).toMatchObject({ sent });
  });

  const plain: [query: string, about: 'PageNumber' | 'PageSize'][] = [
    ...BAD_INTEGERS.flatMap((value): typeof plain => [
      [`PageNumber=${value}`, 'PageNumber'],
      [`PageSize=${value}`, 'PageSize'],
      [`FromDate=x&PageSize=${value}&OrderId=%zz`, 'PageSize'],
    ]),
    ['PageSize=&PAGESIZE=', 'PageSize'],
    ['PageSize=101', 'PageSize'],
    ['PageNumber=1&pagenumber=1', 'PageNumber'],
    ['PageNumber=&pagenumber=', 'PageNumber'],
    ['PageSize=0&Status=x&OrderId=%zz&PageNumber=0', 'PageNumber'],
    ['Status=nonsense&PageSize=0', 'PageSize'],
    [`PageSize=0&${'x&'.repeat(100)}`, 'PageSize'],
  ];
  it.each(plain)('D4 plain: %#', (query, about) => expectPlainMessage(`GetShippingPagedList?${query}`, about));

  it.each(['007', '+7+'])('D4 GetShippingDetails?Limit=%s', async (given) => {
    expect((await ask(`GetShippingDetails?Limit=${given}`)).sent).toEqual({ Limit: '7' });
  });
  const rule = /^must be an integer from 1 to 2147483647, in plain decimal digits$/;
  refuses(each('D4', BAD_INTEGERS, 'GetShippingDetails?Limit=', 'Limit'));
  refuses(each('D4', ['0', 'x', '2147483648'], 'GetShippingDetails?Limit=', 'Limit', rule));
});

describe('D5 Status', () => {
  const names = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
  eachSends(names.map((name) => ['D5 ignoring case', `Status=+${name.toUpperCase()}+`, { Status: name }]));
  const others = ['nonsense', '1', '__proto__', 'constructor', 'null', 'un%E2%84%AAnown', 'Created,Lost'];
  eachRefuses(each('D5', others, 'Status=', 'Status', ALL_NAMES));
  const lists = ['Created,Delivered', 'created%20%7C%20delivered', 'Created;Created', 'Lost,Created,Delivered'];
  eachRefuses(each('D5 several statuses', lists, 'Status=', 'Status', ALL_NAMES));
});

describe('D6 dates', () => {
  const TEN = '2026-03-01T10:00:00.000Z';
  const REVERSED = ['2026-01-16&ToDate=2026-01-15', '2026-03-01T00:00Z&ToDate=2026-03-01T00:00%2B00:01'];
  const SPACED = ['2026-01-15T10:30:00+02:00', '2026-01-15T10:30+02:00', '2026-01-15T10:30:00.5%2002:00'];
  eachSends([
    ['D6 a date-only FromDate starts that day', 'FromDate=2026-01-15', { FromDate: '2026-01-15T00:00:00.000Z' }],
    ['D6 a date-only ToDate covers that day', 'ToDate=2026-01-15', { ToDate: '2026-01-15T23:59:59.999Z' }],
    ['D6 the same instant twice', `FromDate=${TEN}&ToDate=2026-03-01T11:00%2B01:00`, { FromDate: TEN, ToDate: TEN }],
  ]);
  eachRefuses([
    ['D6 D88', 'FromDate=2026-02-30', 'FromDate', /^names a day that does not exist$/],
    ...each('D6', REVERSED, 'FromDate=', 'ToDate', /^must not be before FromDate$/),
    ...each('D6 a plus that became a space', SPACED, 'ToDate=', 'ToDate', /encode the \+ as %2B$/),
  ]);
});

describe('D7 texts', () => {
  const longest = '\u{1F69A}'.repeat(64);
  const TOO_LONG = ['x', 'ä', '😀'].map((unit) => encodeURIComponent(unit.repeat(65)));
  eachSends([
    ['D7 64 code points', `OrderId=${encodeURIComponent(longest)}`, { OrderId: longest }],
    ['D7 100 parameters', 'x&'.repeat(99), {}],
  ]);
  eachRefuses([
    ...each('D7 an OrderId of 65', TOO_LONG, 'OrderId=', 'OrderId', /^must have at most 64 characters$/),
    ['D7 a control character', `OrderId=a${CONTROL_CHARACTER}b`, 'OrderId'],
    ...each('D7 invalid percent-encoding or UTF-8', ['x=%zz', 'x=%C3%28', '%FF=1', '%='], '', 'query string'),
    ['D7 invalid UTF-8', 'OrderId=%ED%A0%80', 'OrderId'],
    ['D7 more than 100 parameters', 'x&'.repeat(101), 'query string'],
    ['D7 more than 100 parameters, all malformed', '%&'.repeat(7000), 'query string'],
  ]);
  refuses([
    ['D7 201 characters', `GetShippingDetails?SearchTerm=${'x'.repeat(201)}`, 'SearchTerm'],
    ['D7 65 characters', `GetShippingSingle?TrackingNumber=${'x'.repeat(65)}`, 'TrackingNumber'],
    ['D7 invalid percent-encoding', 'GetShippingInfoById/SHP-1?x=%zz'],
  ]);

  it('D7 200 code points', async () => {
    const term = '\u{1F69A}'.repeat(200);
    expect((await ask(`GetShippingDetails?SearchTerm=${encodeURIComponent(term)}`)).sent).toEqual({ SearchTerm: term });
  });
});

describe('D8 and spec, sorting rules', () => {
  const CREATED = { SortBy: 'CreatedDate', SortDirection: 'desc' };
  const STATUS = { SortBy: 'Status', SortDirection: 'desc' };
  const ASCENDING = { SortDirection: 'asc' };
  // What is ignored has no effect that its sender could see.
  it.each<{ query: string; sent: object; ignored?: string[] }>([
    { query: '', sent: CREATED },
    { query: 'SortDirection=ASC', sent: { ...CREATED, ...ASCENDING } },
    { query: 'SortBy=createddate&SortDirection=asc', sent: { ...CREATED, ...ASCENDING } },
    { query: 'SortBy=STATUS', sent: STATUS },
    { query: 'SortBy=%E2%80%8BSTATUS%20&SortDirection=Desc', sent: STATUS },
    { query: 'SortBy=trackingNumber&SortDirection=asc', sent: { SortBy: 'TrackingNumber', ...ASCENDING } },
    { query: 'SortBy=&SortDirection=asc', sent: CREATED },
    { query: 'SortBy=Status&SortDirection=ascending', sent: STATUS, ignored: ['SortDirection'] },
    { query: 'SortDirection=-1', sent: CREATED, ignored: ['SortDirection'] },
    { query: 'SortBy=TotalWeight&SortDirection=asc', sent: CREATED, ignored: ['SortBy'] },
    { query: 'SortBy=__proto__&SortDirection=asc', sent: CREATED, ignored: ['SortBy'] },
    { query: 'sortby=price&sortdirection=down', sent: CREATED, ignored: ['SortBy', 'SortDirection'] },
    { query: 'SortBy[]=price&colour=red', sent: CREATED, ignored: ['SortBy', 'colour'] },
  ])('D8 D2 $query', async ({ query, sent, ignored = [] }) => {
    const request = `GetShippingPagedList?${query}`;
    const header = ignored.map((name) => `"${name}"`).join(', ');
    expect(await ask(request)).toMatchObject({ sent, ...(header !== '' && { ignored: header }) });
    for (const name of ignored) await expectBadInput(request, name, /\S/, true);
    if (ignored.length === 0) expect(await ask(request, true)).toEqual({ sent: expect.objectContaining(sent) });
  });
  refuses([
    ['D8 given twice', 'GetShippingPagedList?SortBy=Status&sortby=Status', 'SortBy'],
    ['D8 a control character', `GetShippingPagedList?SortDirection=${CONTROL_CHARACTER}asc`, 'SortDirection'],
  ]);
});

it.each(['0', 'SHP-1', 'a.b_c-9', 'a..', 'x'.repeat(64)])('D9 %s', async (id) => {
  expect(await ask(`GetShippingInfoById/${id}`)).toEqual({ sent: { path: `/shippings/by-id/${id}` } });
});

const invalid = ['-a', '.', '..', '%2e%2e', 'a%2Fb', 'a%5Cb', 'a%3Fb', 'a%23', 'a%00', 'x'.repeat(65), '%C3%A9'];
refuses([
  ...each('D9', invalid, 'GetShippingInfoById/', 'id'),
  ...each('D9', invalid, 'GetShippingSingle?Id=', 'Id'),
  ['D9 another criterion is given', 'GetShippingSingle?Id=a+b&OrderId=A', 'Id', /^is not a valid shipping id/],
]);

describe('D11 criteria', () => {
  const narrowing = 'Status=Created&FromDate=2026-01-01&ToDate=2026-01-02';
  const narrowed = { Status: 'Created', FromDate: '2026-01-01T00:00:00.000Z', ToDate: '2026-01-02T23:59:59.999Z' };
  it.each([
    ['Id=SHP-1', { Id: 'SHP-1' }],
    ['OrderId=ORD-1', { OrderId: 'ORD-1' }],
    ['TrackingNumber=T1', { TrackingNumber: 'T1' }],
    ['id=A&orderId=B&trackingNumber=C', { Id: 'A', OrderId: 'B', TrackingNumber: 'C' }],
    [`OrderId=ORD-1&${narrowing}`, { OrderId: 'ORD-1', ...narrowed }],
  ])('D11 %#', async (query, sent) => {
    expect((await ask(`GetShippingSingle?${query}`)).sent).toEqual(sent);
  });
  const missing = /^is missing; give at least one of Id, OrderId, TrackingNumber$/;
  const others = ['', narrowing, 'Id=&OrderId=+&TrackingNumber=%09', 'SearchTerm=A'];
  refuses(each('D11 no identifying criterion', others, 'GetShippingSingle?', 'Id', missing));

  it('D11 no criterion is missing where one is bad', async () => {
    for (const bad of ['OrderId=%zz', 'OrderId=a%00', 'TrackingNumber=A&TrackingNumber=A', `OrderId=${LONG}`]) {
      expect((await ask(`GetShippingSingle?${bad}`)).errors).toHaveLength(1);
    }
  });
});
