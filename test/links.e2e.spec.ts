import { expectAnswer, expectUnavailable } from './support/expectations';
import type { HttpResponse } from './support/http-client';
import { DETAILS, PAGED, SINGLE } from './support/operations';
import { useScriptedService } from './support/service';
import { json, status } from './support/upstream/responses';
import { pagedReply, wireRecord } from './support/upstream/records';

/** Links by relation, resolved against the service. */
function linksOf(answer: HttpResponse, base: string): Record<string, URL> {
  const header = answer.headers.link as string | undefined;
  if (header === undefined) return {};
  expect(header).toMatch(/^<[^<>"\s]+>; ?rel="?[a-z]+"?(, ?<[^<>"\s]+>; ?rel="?[a-z]+"?)*$/);
  const links = [...header.matchAll(/<([^>]+)>; ?rel="?([a-z]+)"?/g)];
  const byRelation = Object.fromEntries(
    links.map(([, url = '', relation = '']): [string, URL] => [relation, new URL(url, base)]),
  );
  expect(Object.keys(byRelation)).toHaveLength(links.length);
  return byRelation;
}

describe('D23 links', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  /** An external system with so many pages, that answers with whichever is asked. */
  const has = (totalPages: number): void => {
    scripted.upstream.respondWith(({ params }) => {
      const pageNumber = Number(params.get('PageNumber'));
      const pageSize = Number(params.get('PageSize'));
      return json(
        pagedReply(totalPages > 0 ? [wireRecord()] : [], {
          TotalCount: totalPages * pageSize,
          PageNumber: pageNumber,
          PageSize: pageSize,
          TotalPages: totalPages,
          HasPreviousPage: pageNumber > 1,
          HasNextPage: pageNumber < totalPages,
        }),
      );
    });
  };

  const pagesOf = (answer: HttpResponse): Record<string, string | null> =>
    Object.fromEntries(
      Object.entries(linksOf(answer, scripted.service.url)).map(([relation, url]) => [
        relation,
        url.searchParams.get('PageNumber'),
      ]),
    );

  it.each<[string, number, string, Record<string, string>]>([
    ['the first of five', 5, 'PageNumber=1', { first: '1', next: '2', last: '5' }],
    ['the first of five, by default', 5, '', { first: '1', next: '2', last: '5' }],
    ['one in the middle', 5, 'PageNumber=3', { first: '1', prev: '2', next: '4', last: '5' }],
    ['the last', 5, 'PageNumber=5', { first: '1', prev: '4', last: '5' }],
    ['the only one', 1, 'PageNumber=1', { first: '1', last: '1' }],
    ['one after the last', 5, 'PageNumber=6', { first: '1', prev: '5', last: '5' }],
    ['one far beyond the last', 5, 'PageNumber=190', { first: '1', prev: '5', last: '5' }],
    ['none', 0, 'PageNumber=1', {}],
    ['none, beyond the first', 0, 'PageNumber=2', {}],
    ['the greatest', 2147483647, 'PageNumber=2147483647', { first: '1', prev: '2147483646', last: '2147483647' }],
  ])('D23 %s', async (_, totalPages, query, pages) => {
    has(totalPages);
    const answer = await scripted.service.request(`GetShippingPagedList?${query}`);
    expectAnswer(PAGED, answer, 'complete');
    expect(pagesOf(answer)).toEqual(pages);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['both flags', { HasPreviousPage: true, HasNextPage: true }, ['first', 'last', 'next', 'prev']],
    ['no flag in the middle', { HasPreviousPage: false, HasNextPage: false }, ['first', 'last']],
    ['only the next', { HasPreviousPage: false, HasNextPage: true }, ['first', 'last', 'next']],
    ['only the previous', { HasPreviousPage: true, HasNextPage: false }, ['first', 'last', 'prev']],
  ])('D23 prev and next are as the flags say: %s', async (_, flags, relations) => {
    const figures = { TotalCount: 50, PageNumber: 3, PageSize: 10, TotalPages: 5, ...flags };
    scripted.upstream.respondWith(json(pagedReply([wireRecord()], figures)));
    const answer = await scripted.service.request('GetShippingPagedList?PageNumber=3');
    expect(Object.keys(linksOf(answer, scripted.service.url)).sort()).toEqual(relations);
  });

  it('D23 the last page is that of the upstream response', async () => {
    scripted.upstream.respondWith(
      json(pagedReply([wireRecord()], { TotalCount: 50, TotalPages: 7, HasNextPage: true })),
    );
    const answer = await scripted.service.request('GetShippingPagedList');
    expect(pagesOf(answer)).toEqual({ first: '1', next: '2', last: '7' });
  });

  describe('every parameter given is kept', () => {
    const QUERIES = [
      'PageNumber=2&PageSize=7&SearchTerm=G%C3%B6teborg&OrderId=ORD-1&Status=Created&FromDate=2026-01-01&ToDate=2026-02-01T00:00Z&SortBy=Status&SortDirection=asc',
      'pagenumber=2&pagesize=7&searchterm=x&sortby=status',
      'PAGENUMBER=02&Status=delivered',
      '%50ageNumber=2&PageSize=3',
      'SearchTerm=a%26b%3Dc%23d+e%2Bf%3E%22%2C%3B%5C&PageNumber=2',
      'PageNumber=2&FromDate=2026-01-01T10:00%2B02:00',
      'PageNumber=2&SortBy=nonsense&SortDirection=asc',
      'PageNumber=2&SortBy=&SortDirection=asc',
      'PageNumber=2&SearchTerm=%F0%9F%9A%9A',
      'SearchTerm=x&PageNumber=2&Unknown=kept%20too',
    ];

    it.each(QUERIES)('D23 the links of %s keep its parameters', async (query) => {
      has(5);
      const links = linksOf(await scripted.service.request(`GetShippingPagedList?${query}`), scripted.service.url);
      const original = Object.fromEntries(scripted.upstream.calls[0]?.params ?? []);
      expect(original.PageNumber).toBe('2');
      for (const [relation, page] of Object.entries({ first: '1', prev: '1', next: '3', last: '5' })) {
        const url = links[relation];
        expect(url?.origin).toBe(scripted.service.url);
        scripted.upstream.calls = [];
        const followed = await scripted.service.get(`${url?.pathname ?? ''}${url?.search ?? ''}`);
        expectAnswer(PAGED, followed, 'complete');
        expect(Object.fromEntries(scripted.upstream.calls[0]?.params ?? [])).toEqual({ ...original, PageNumber: page });
      }
    });

    it('D23 unknown ones too', async () => {
      has(5);
      const answer = await scripted.service.request('GetShippingPagedList?Unknown=kept%20too');
      expect(linksOf(answer, scripted.service.url).next?.searchParams.get('Unknown')).toBe('kept too');
    });

    it('D23 links are relative, whatever Host is', async () => {
      has(5);
      const answer = await scripted.service.request('GetShippingPagedList', {
        Host: 'evil.example',
        'X-Forwarded-Host': 'x',
      });
      expect(new URL(/<([^>]+)>/.exec(String(answer.headers.link))?.[1] ?? '', 'http://base.example').pathname).toMatch(
        /^\/api\/Shipping\/GetShippingPagedList$/i,
      );
    });
  });

  it('D23 a partial response has links', async () => {
    scripted.upstream.respondWith(
      json(pagedReply([wireRecord(), null], { TotalCount: 20, TotalPages: 2, HasNextPage: true })),
    );
    const answer = await scripted.service.request('GetShippingPagedList');
    expectAnswer(PAGED, answer, 'partial;reason=bad-reply');
    expect(pagesOf(answer)).toEqual({ first: '1', next: '2', last: '2' });
  });

  it('D23 derived paging values have links', async () => {
    scripted.upstream.respondWith(json({ Items: [wireRecord()], TotalCount: 25 }));
    const answer = await scripted.service.request('GetShippingPagedList?PageNumber=2');
    expect(pagesOf(answer)).toEqual({ first: '1', prev: '1', next: '3', last: '3' });
  });

  it('D23 an unavailable response has no links', async () => {
    scripted.upstream.respondWith(status(500));
    expectUnavailable(PAGED, await scripted.service.request(PAGED.request), 'upstream-error');
  });

  it.each([
    ['a bad paging value', 'GetShippingPagedList?PageNumber=0'],
    ['a bad parameter', 'GetShippingPagedList?Status=x'],
    [DETAILS.name, DETAILS.request],
    [SINGLE.name, SINGLE.request],
  ])('D23 only pages have them: %s has none', async (_, request) => {
    scripted.upstream.respondWith(json());
    expect((await scripted.service.request(request)).headers.link).toBeUndefined();
  });
});
