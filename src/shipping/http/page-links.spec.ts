import * as fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import type { PagedShippingList } from '../model/response-bodies';
import { linkPages } from './page-links';

type Figures = Partial<PagedShippingList>;

/** Targets by relation; `undefined` where there is no header. */
function linksOf(query: string, figures: Figures): Record<string, string> | undefined {
  let link: string | undefined;
  const sent = query.replace(/\P{ASCII}/gu, encodeURIComponent);
  const reply = {
    request: { originalUrl: `/api/Shipping/GetShippingPagedList?${sent}` },
    header: (name: string, value: string) => {
      expect(name).toBe('Link');
      link = value;
      return reply;
    },
  };
  const page = {
    items: [],
    totalCount: 0,
    pageNumber: 1,
    pageSize: 10,
    totalPages: 0,
    hasPreviousPage: false,
    hasNextPage: false,
    ...figures,
  };
  linkPages(reply as unknown as FastifyReply, page);
  if (link === undefined) return undefined;
  const entries = link.split(', ').map((part) => {
    const [, target = '', relation = ''] = /^<([\x21-\x7e]+)>; rel="(first|last|prev|next)"$/.exec(part) ?? [];
    expect(target).toMatch(/^\/api\/Shipping\/GetShippingPagedList\?[^<>]*$/);
    return [relation, target.slice(target.indexOf('?') + 1)] as const;
  });
  return Object.fromEntries(entries);
}

const pagesOf = (figures: Figures): Record<string, string> | undefined => {
  const links = linksOf('', figures);
  return links && Object.fromEntries(Object.entries(links).map(([relation, query]) => [relation, query.replace('PageNumber=', '')])); // prettier-ignore
};

describe('linkPages', () => {
  it.each<[string, Figures, Record<string, string> | undefined]>([
    ['no pages', {}, undefined],
    ['one page', { totalPages: 1 }, { first: '1', last: '1' }],
    ['the first of three', { totalPages: 3, hasNextPage: true }, { first: '1', last: '3', next: '2' }],
    [
      'the second of three',
      { totalPages: 3, pageNumber: 2, hasPreviousPage: true, hasNextPage: true },
      { first: '1', last: '3', prev: '1', next: '3' },
    ],
    [
      'the last of three',
      { totalPages: 3, pageNumber: 3, hasPreviousPage: true },
      { first: '1', last: '3', prev: '2' },
    ],
    [
      'a page beyond the last',
      { totalPages: 3, pageNumber: 9, hasPreviousPage: true },
      { first: '1', last: '3', prev: '3' },
    ],
    [
      'a next page beyond the last',
      { totalPages: 3, pageNumber: 3, hasPreviousPage: true, hasNextPage: true },
      { first: '1', last: '3', prev: '2' },
    ],
    ['flags against the figures', { totalPages: 3, pageNumber: 2 }, { first: '1', last: '3' }],
    ['a flag without pages', { pageNumber: 2, hasPreviousPage: true }, undefined],
    ['a page before the first', { totalPages: 1, hasPreviousPage: true }, { first: '1', last: '1' }],
  ])('D23 links %s', (_, figures, expected) => {
    expect(pagesOf(figures)).toEqual(expected);
  });

  it('D4 links to no page number that would be refused', () => {
    const figures = { totalPages: 2 ** 40, pageNumber: 2_147_483_647, hasPreviousPage: true, hasNextPage: true };
    expect(pagesOf(figures)).toEqual({ first: '1', prev: '2147483646' });
  });

  it.each([
    ['PageNumber=2&PageSize=5', 'PageNumber=1&PageSize=5'],
    ['pagesize=5&PAGENUMBER=2&sortby=status', 'PageNumber=1&pagesize=5&sortby=status'],
    ['SearchTerm=a+b%26c%2Bd', 'PageNumber=1&SearchTerm=a%20b%26c%2Bd'],
    ['SearchTerm=Göteborg', 'PageNumber=1&SearchTerm=G%C3%B6teborg'],
    ['SearchTerm=%3C%22%3E%2C;', 'PageNumber=1&SearchTerm=%3C%22%3E%2C%3B'],
    ['SortBy=&a=1&a=2', 'PageNumber=1&SortBy=&a=1&a=2'],
  ])('D23 keeps every parameter given: %s', (query, first) => {
    expect(linksOf(query, { totalPages: 1 })?.first).toBe(first);
  });

  it('D23 keeps any parameter, in a header that any client can read', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text)), (given) => {
        const others = given.filter(([name]) => name.toLowerCase() !== 'pagenumber');
        const query = new URLSearchParams(given).toString();
        const next = linksOf(query, { totalPages: 2, hasNextPage: true })?.next;
        expect([...new URLSearchParams(next)]).toEqual([['PageNumber', '2'], ...others]);
      }),
    );
  });
});
