import { type WireObject, wirePage, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { exchangeRaw } from '../faults/support/raw-connection';
import { expectResponse } from '../support/expected';
import { useScriptedService } from '../support/service';

const FIRST = { PageNumber: 1, HasPreviousPage: false, HasNextPage: true };
const MIDDLE = { PageNumber: 2, HasPreviousPage: true, HasNextPage: true };
const LAST = { PageNumber: 3, HasPreviousPage: true, HasNextPage: false };
const ONLY = { PageNumber: 1, HasPreviousPage: false, HasNextPage: false };
/** The largest page number. */
const MAX = 2_147_483_647;
const NO_FLAGS = { HasPreviousPage: undefined, HasNextPage: undefined };
const NOTHING = { TotalPages: undefined, PageNumber: undefined, PageSize: undefined, ...NO_FLAGS };

const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

/** The record fits every filter, because it has no values that a filter names. */
const RECORD = wireRecord({ OrderId: undefined, Status: undefined });
const has = (page: WireObject): void => {
  const TotalCount = 7 * Number(page.TotalPages);
  scripted.upstream.respondWith(json(wirePage([RECORD], { TotalCount, PageSize: 7, ...page })));
};

/** The targets of a page's links, by relation. */
async function linksOf(query: string, completeness = 'complete'): Promise<Record<string, string>> {
  const response = await scripted.service.request(`GetShippingPagedList?${query}`);
  expectResponse(response, completeness);
  const links = String(response.headers.link ?? '').matchAll(/<([\x21-\x3b\x3d\x3f-\x7e]+)>; rel="([a-z]+)"/g);
  return Object.fromEntries([...links].map(([, target = '', relation = '']) => [relation, target]));
}

it.each<[string, WireObject, Record<string, number>]>([
  ['no pages', { ...ONLY, Items: [], TotalPages: 0 }, {}],
  ['one page', { ...ONLY, TotalPages: 1 }, { first: 1, last: 1 }],
  ['the first of three', { ...FIRST, TotalPages: 3 }, { first: 1, last: 3, next: 2 }],
  ['the second of three', { ...MIDDLE, TotalPages: 3 }, { first: 1, last: 3, prev: 1, next: 3 }],
  ['the last of three', { ...LAST, TotalPages: 3 }, { first: 1, last: 3, prev: 2 }],
  ['a page beyond the last', { ...LAST, Items: [], TotalPages: 3, PageNumber: 9 }, { first: 1, last: 3, prev: 3 }],
  ['a next page beyond the last', { ...MIDDLE, TotalPages: 3, PageNumber: 3 }, { first: 1, last: 3, prev: 2 }],
  ['flags against the values', { ...ONLY, TotalPages: 3, PageNumber: 2 }, { first: 1, last: 3, prev: 1, next: 3 }],
  ['a flag without pages', { ...LAST, Items: [], TotalPages: 0, PageNumber: 2 }, {}],
  ['more pages than numbers (D4)', { ...MIDDLE, TotalPages: 2 ** 40, PageNumber: MAX }, { first: 1, prev: MAX - 1 }],
  ['derived values', { ...NOTHING, TotalCount: 15 }, { first: 1, last: 2, next: 2 }],
])('D23 %s', async (_, page, numbers) => {
  has(page);
  const target = (number: number): string => `/api/Shipping/GetShippingPagedList?PageNumber=${number}`;
  const expected = Object.entries(numbers).map(([relation, number]) => [relation, target(number)]);
  expect(await linksOf(`PageNumber=${Number(page.PageNumber ?? 1)}`)).toEqual(Object.fromEntries(expected));
});

it.each([
  'PageNumber=2&PageSize=7&SearchTerm=G%C3%B6teborg&OrderId=ORD-1&Status=Created&FromDate=2026-01-01',
  'PageNumber=2&ToDate=2026-02-01T00:00Z&SortBy=Status&SortDirection=asc',
  'PAGENUMBER=02&pagesize=7&Status=delivered',
  '%50ageNumber=2&SearchTerm=a%26b%3Dc%23d+e%2Bf%3E%22%2C%3B%5C',
  'PageNumber=2&FromDate=2026-01-01T10:00%2B02:00',
  'PageNumber=2&SortBy=&SortDirection=asc&a=1&a=2',
  'pagenumber%5B%5D=2&Status[]=Created',
  '?PageSize=7&PageNumber=2',
])('D23 links keep every known parameter: %#', async (query) => {
  has({ PageNumber: 2, TotalPages: 5, HasPreviousPage: true, HasNextPage: true });
  const links = await linksOf(query);
  const original = Object.fromEntries(scripted.upstream.calls[0]?.params ?? []);
  for (const [relation, number] of Object.entries({ first: '1', prev: '1', next: '3', last: '5' })) {
    scripted.upstream.calls = [];
    expect((await scripted.service.get(links[relation] ?? '')).status).toBe(200);
    expect(Object.fromEntries(scripted.upstream.calls[0]?.params ?? [])).toEqual({ ...original, PageNumber: number });
  }
});

const ANOTHER = 'partial;reason=bad-reply';
it.each([
  ['PageNumber=2', 1, undefined, ANOTHER],
  ['%50ageNumber=%E2%80%8B2', 1, undefined, ANOTHER],
  ['PageNumber=2', 2, 3, 'complete'],
  ['PageNumber=2', 3, 4, ANOTHER],
  ['PageNumber=1', 1, 2, 'complete'],
  ['', 1, 2, 'complete'],
])('D14 D23 next of %j, page %d, is %p, and it is %s', async (query, page, next, completeness) => {
  has({ PageNumber: page, TotalPages: 8, HasPreviousPage: page > 1, HasNextPage: true });
  const { next: target } = await linksOf(query, completeness);
  expect(target).toBe(next && `/api/Shipping/GetShippingPagedList?PageNumber=${next}`);
});

it('D23 nothing inside of a target splits the header', async () => {
  has({ PageNumber: 1, TotalPages: 3, HasNextPage: true });
  const { link } = (await scripted.service.request('GetShippingPagedList?SearchTerm=a,b;c&OrderId=%2C%3B')).headers;
  const targets = ['1', '3', '2'].map((page) => `PageNumber=${page}&SearchTerm=a%2Cb%3Bc&OrderId=%2C%3B`);
  const entries = Array.from(String(link).split(','), (entry) => entry.split(';'));
  expect(entries.map(([target = '']) => target.replace(/.*\?(.*)>/, '$1'))).toEqual(targets);
  expect(entries.map(([, relation = '']) => relation.trim())).toEqual(['rel="first"', 'rel="last"', 'rel="next"']);
});

it('D23 an unknown parameter, which may be the secret of a gateway, is in no link', async () => {
  has({ ...ONLY, TotalPages: 1 });
  const { first } = await linksOf('key=secret&PAGESIZE=7&PageNumber=1&a=');
  expect(first).toBe('/api/Shipping/GetShippingPagedList?PageNumber=1&PageSize=7');
});

it('D23 a partial response has links', async () => {
  const page = { TotalCount: 20, TotalPages: 2, PageNumber: 1, HasPreviousPage: false, HasNextPage: true };
  scripted.upstream.respondWith(json(wirePage([wireRecord(), null], page)));
  expect(Object.keys(await linksOf('', 'partial;reason=bad-reply'))).toEqual(['first', 'last', 'next']);
});

it('D23 links to the path of a target that names a host', async () => {
  scripted.upstream.respondWith(json(wirePage([wireRecord()])));
  const target = 'http://other.example/api/Shipping/GetShippingPagedList?Status=Created';
  const bytes = `GET ${target} HTTP/1.1\r\nHost: other.example\r\n\r\n`;
  const [response] = await exchangeRaw(scripted.service.url, bytes);
  const first = '</api/Shipping/GetShippingPagedList?PageNumber=1&Status=Created>; rel="first"';
  expect(response).toMatchObject({ status: 200, headers: { link: [expect.stringContaining(first)] } });
});

it('D23 links that are too long are left out', async () => {
  // Each of these characters takes twelve in a link.
  const search = (length: number): string => `SearchTerm=${encodeURIComponent('\u{1f4e6}'.repeat(length))}`;
  expect(await linksOf(search(70))).toHaveProperty('first');
  for (const length of [85, 200]) expect(await linksOf(search(length))).toEqual({});
});
