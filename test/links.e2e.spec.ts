import { exchangeRaw } from './faults/support/raw-connection';
import { expectAnswer } from './support/expectations';
import { PAGED } from './support/operations';
import { useScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { pagedReply, wireRecord, type WireObject } from './support/upstream/records';

describe('D23 links', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  /** The targets of a page's links, by relation. */
  async function linksOf(query: string, completeness = 'complete'): Promise<Record<string, string>> {
    const answer = await scripted.service.request(`GetShippingPagedList?${query}`);
    expectAnswer(PAGED, answer, completeness);
    const links = String(answer.headers.link).matchAll(/<([^>]+)>; rel="([a-z]+)"/g);
    return Object.fromEntries([...links].map(([, target = '', relation = '']) => [relation, target]));
  }

  it.each([
    'PageNumber=2&PageSize=7&SearchTerm=G%C3%B6teborg&OrderId=ORD-1&Status=Created&FromDate=2026-01-01&ToDate=2026-02-01T00:00Z&SortBy=Status&SortDirection=asc',
    'PAGENUMBER=02&pagesize=7&Status=delivered',
    '%50ageNumber=2&SearchTerm=a%26b%3Dc%23d+e%2Bf%3E%22%2C%3B%5C',
    'PageNumber=2&FromDate=2026-01-01T10:00%2B02:00',
    'PageNumber=2&SortBy=&SortDirection=asc',
  ])('D23 the links of %s, followed, keep its parameters', async (query) => {
    const page = { TotalCount: 50, PageNumber: 2, TotalPages: 5, HasPreviousPage: true, HasNextPage: true };
    scripted.upstream.respondWith(json(pagedReply([wireRecord()], page)));
    const links = await linksOf(query);
    const original = Object.fromEntries(scripted.upstream.calls[0]?.params ?? []);
    for (const [relation, number] of Object.entries({ first: '1', prev: '1', next: '3', last: '5' })) {
      scripted.upstream.calls = [];
      expect((await scripted.service.get(links[relation] ?? '')).status).toBe(200);
      expect(Object.fromEntries(scripted.upstream.calls[0]?.params ?? [])).toEqual({ ...original, PageNumber: number });
    }
  });

  it.each<[string, WireObject, string[], string]>([
    ['a partial response', { ...pagedReply([wireRecord(), null], { TotalCount: 20, TotalPages: 2, HasNextPage: true }) }, ['1', '2', '2'], 'partial;reason=bad-reply'],
    ['derived paging values', { Items: [wireRecord()], TotalCount: 25 }, ['1', '3', '2'], 'complete'],
  ])('D23 %s has links', async (_, reply, [first, last, next], completeness) => {
    scripted.upstream.respondWith(json(reply));
    const target = (page: string | undefined): string => `/api/Shipping/GetShippingPagedList?PageNumber=${page ?? ''}`;
    expect(await linksOf('', completeness)).toEqual({ first: target(first), last: target(last), next: target(next) });
  }); // prettier-ignore

  it('D23 links to the path of a target that names a host, as proxies send it', async () => {
    scripted.upstream.respondWith(json(pagedReply([wireRecord()])));
    const target = 'http://other.example/api/Shipping/GetShippingPagedList?Status=Created';
    const bytes = `GET ${target} HTTP/1.1\r\nHost: other.example\r\n\r\n`;
    const [response] = await exchangeRaw(scripted.service.url, bytes);
    const first = '</api/Shipping/GetShippingPagedList?PageNumber=1&Status=Created>; rel="first"';
    expect(response).toMatchObject({ status: 200, headers: { link: [expect.stringContaining(first)] } });
  });

  it('D23 links that are too long are left out', async () => {
    const [short, long] = [`foo=${'a'.repeat(1500)}`, `foo=${'"'.repeat(6000)}`];
    expect(await linksOf(short)).toHaveProperty('first');
    expect(await linksOf(long)).toEqual({});
  });
});
