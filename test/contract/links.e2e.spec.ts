import { type WireObject, wirePage, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectResponse } from '../support/expected';
import { useScriptedService } from '../support/service';

const MIDDLE = { PageNumber: 2, HasPreviousPage: true, HasNextPage: true };
const ONLY = { PageNumber: 1, HasPreviousPage: false, HasNextPage: false };

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
  ['the second of three', { ...MIDDLE, TotalPages: 3 }, { first: 1, last: 3, prev: 1, next: 3 }],
])('D23 %s', async (_, page, numbers) => {
  has(page);
  const target = (number: number): string => `/api/Shipping/GetShippingPagedList?PageNumber=${number}`;
  const expected = Object.entries(numbers).map(([relation, number]) => [relation, target(number)]);
  expect(await linksOf(`PageNumber=${Number(page.PageNumber)}`)).toEqual(Object.fromEntries(expected));
});

it.each([
  'PageNumber=2&PageSize=7&SearchTerm=G%C3%B6teborg&OrderId=ORD-1&Status=Created&FromDate=2026-01-01',
  '%50ageNumber=2&SearchTerm=a%26b%3Dc%23d+e%2Bf%3E%22%2C%3B%5C',
  'pagenumber%5B%5D=02&Status[]=created&pagesize=7',
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

it('D14 D23 no next page is the one that was requested', async () => {
  has({ PageNumber: 1, TotalPages: 8, HasPreviousPage: false, HasNextPage: true });
  expect(await linksOf('%50ageNumber=%E2%80%8B2', 'partial;reason=bad-reply')).not.toHaveProperty('next');
});

it('D23 an unknown parameter, which may be the secret of a gateway, is in no link', async () => {
  has({ ...ONLY, TotalPages: 1 });
  const { first } = await linksOf('key=secret&PAGESIZE=7&PageNumber=1&a=');
  expect(first).toBe('/api/Shipping/GetShippingPagedList?PageNumber=1&PageSize=7');
});
