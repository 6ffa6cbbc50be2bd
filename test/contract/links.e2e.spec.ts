import { wirePage, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectResponse } from '../support/expected';
import { useScriptedService } from '../support/service';

// Which links a page has, and how long they may be, stands in `result-headers.spec.ts`.

const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

/** It fits every filter, because it has no values that a filter names. */
const RECORD = wireRecord({ OrderId: undefined, Status: undefined });
const SECOND = { PageNumber: 2, PageSize: 7, TotalPages: 5, TotalCount: 35, HasPreviousPage: true, HasNextPage: true };

/** The targets of a page's links, by relation. */
async function linksOf(query: string): Promise<Record<string, string>> {
  const response = await scripted.service.request(`GetShippingPagedList?${query}`);
  expectResponse(response, 'complete');
  const links = String(response.headers.link ?? '').matchAll(/<([\x21-\x3b\x3d\x3f-\x7e]+)>; rel="([a-z]+)"/g);
  return Object.fromEntries([...links].map(([, target = '', relation = '']) => [relation, target]));
}

it.each([
  'PageNumber=2&PageSize=7&SearchTerm=G%C3%B6teborg&OrderId=ORD-1&Status=Created&FromDate=2026-01-01',
  '%50ageNumber=%E2%80%8B2&SearchTerm=a%26b%3Dc%23d+e%2Bf%3E%22%2C%3B%5C&key=secret',
  'pagenumber%5B%5D=02&Status[]=created&pagesize=7&a=',
])('D23 links keep every known parameter, and no other one: %#', async (query) => {
  scripted.upstream.respondWith(json(wirePage([RECORD], SECOND)));
  const links = await linksOf(query);
  expect(JSON.stringify(links)).not.toMatch(/secret|&a=/);
  const original = Object.fromEntries(scripted.upstream.calls[0]?.params ?? []);
  for (const [relation, number] of Object.entries({ first: '1', prev: '1', next: '3', last: '5' })) {
    scripted.upstream.calls = [];
    expect((await scripted.service.get(links[relation] ?? '')).status).toBe(200);
    expect(Object.fromEntries(scripted.upstream.calls[0]?.params ?? [])).toEqual({ ...original, PageNumber: number });
  }
});

it('D14 D23 another page than the requested one is partial, and links to no page that was requested as its next', async () => {
  scripted.upstream.respondWith(json(wirePage([RECORD], { ...SECOND, PageNumber: 1, HasPreviousPage: false })));
  const response = await scripted.service.request('GetShippingPagedList?PageNumber=2');
  expectResponse(response, 'partial;reason=bad-reply');
  expect(response.headers.link).not.toContain('rel="next"');
});
