import { plainReply } from '../../../test/support/plain-reply';
import type { RequestRecord } from '../../http/requests/request-record';
import { ResultReport } from '../model/query-context';
import { type CacheReport, COMPLETE, type Completeness, type PageLinks } from '../model/query-result';
import { MAX_LINK_LENGTH, writeResultHeaders } from './result-headers';

const PARTIAL: Completeness = { level: 'partial', reason: 'bad-reply' };
const UNAVAILABLE: Completeness = { level: 'unavailable', reason: 'circuit-open' };
const SENT = { 'Cache-Control': 'no-store' };

interface Given {
  readonly completeness?: Completeness;
  readonly cache?: CacheReport;
  readonly page?: PageLinks;
  readonly parameters?: RequestRecord['parameters'];
  readonly originalUrl?: string;
  readonly publicBasePath?: string;
  readonly statusCode?: number;
  /** The header fields that the response has already. */
  readonly before?: Readonly<Record<string, string>>;
  readonly reportsCompleteness?: 'always' | 'by query';
  /** Whether the handler has got a context for its queries. */
  readonly hasContext?: boolean;
}

/** The header fields of the response to a request whose queries have found this; nothing where no query was made. */
function headersOf({
  completeness,
  hasContext,
  statusCode = 200,
  before = SENT,
  ...given
}: Given): Record<string, string> {
  const { reportsCompleteness, parameters = {}, originalUrl = '/list', publicBasePath = '', ...found } = given;
  const config = { reportsCompleteness };
  const { reply, record, headers } = plainReply({
    statusCode,
    before,
    config,
    request: { originalUrl, publicBasePath },
  });
  if (hasContext === true) record.data = new ResultReport();
  if (completeness !== undefined) record.data = Object.assign(new ResultReport(), { stated: completeness }, found);
  record.parameters = parameters;
  writeResultHeaders(reply);
  if (completeness !== undefined && statusCode < 400) expect(config.reportsCompleteness).toBe('by query');
  return headers();
}

describe('D20 the headers of a result', () => {
  const of = (completeness: string, control = 'no-store', more = {}): object => {
    return { 'Cache-Control': control, 'Shipping-Completeness': completeness, ...more };
  };
  const REVALIDATED = 'private, no-cache';
  const [HIT, MISS] = [{ status: 'hit', ageSeconds: 0 }, { status: 'fwd=miss' }];

  it.each<[Given, object]>([
    [{ completeness: COMPLETE }, of('complete', REVALIDATED)],
    [{ completeness: { level: 'complete', limit: 5 } }, of('complete;limit=5', REVALIDATED)],
    [{ completeness: COMPLETE, before: { 'Cache-Control': 'max-age=9' } }, of('complete', 'max-age=9')],
    [{ completeness: PARTIAL }, of('partial;reason=bad-reply')],
    [{ completeness: { ...PARTIAL, dropped: 2 } }, of('partial;reason=bad-reply;dropped=2')],
    [{ completeness: UNAVAILABLE, before: { 'Cache-Control': 'max-age=9' } }, of('unavailable;reason=circuit-open')],
    [
      { completeness: COMPLETE, cache: HIT },
      of('complete', REVALIDATED, { 'Cache-Status': 'shipping-query-service; hit', Age: '0' }),
    ],
    [
      { completeness: COMPLETE, cache: MISS },
      of('complete', REVALIDATED, { 'Cache-Status': 'shipping-query-service; fwd=miss' }),
    ],
    [{}, SENT],
  ])('of %j are %j', (given, expected) => {
    expect(headersOf(given)).toEqual(expected);
  });

  it('are not those of an error that replaces it', () => {
    const before = { ...of('complete'), 'Cache-Status': 'x', Age: '1', Link: 'x', 'X-Team': 'x' };
    expect(headersOf({ completeness: COMPLETE, statusCode: 500, before })).toEqual({ ...SENT, 'X-Team': 'x' });
    expect(headersOf({ statusCode: 404, before })).toEqual(before);
  });

  it.each<Given>([
    { reportsCompleteness: 'by query' },
    { reportsCompleteness: 'always' },
    { reportsCompleteness: 'always', hasContext: true },
  ])('D20 D83 are missing where an interceptor responds instead of the handler: that is an error, %j', (replaced) => {
    expect(() => headersOf(replaced)).toThrow('An interceptor responds without Shipping-Completeness');
    const passing: Given[] = [{ statusCode: 304 }, { before: { 'Shipping-Completeness': 'complete' } }];
    for (const given of passing) expect(headersOf({ ...replaced, ...given })).toEqual(given.before ?? SENT);
  });

  it('D83 are missing without an error where a handler of a team has made no query', () => {
    expect(headersOf({ reportsCompleteness: 'by query', hasContext: true })).toEqual(SENT);
  });
});

describe('D23 the links of a page', () => {
  const [NO, BOTH] = [
    { hasPreviousPage: false, hasNextPage: false },
    { hasPreviousPage: true, hasNextPage: true },
  ];
  const [NEXT, PREVIOUS] = [
    { ...NO, hasNextPage: true },
    { ...NO, hasPreviousPage: true },
  ];
  /** The largest page number. */
  const MAX = 2_147_483_647;

  const linkOf = (page: Partial<PageLinks>, given: Given = {}): string | undefined => {
    const links = { pageNumber: 1, totalPages: 3, ...NEXT, ...page };
    return headersOf({ completeness: COMPLETE, page: links, ...given }).Link;
  };

  it.each<[what: string, page: Partial<PageLinks>, numbers: Record<string, number>]>([
    ['no pages', { totalPages: 0, ...NO }, {}],
    ['one page', { totalPages: 1, ...NO }, { first: 1, last: 1 }],
    ['the first of three', {}, { first: 1, last: 3, next: 2 }],
    ['the second of three', { pageNumber: 2, ...BOTH }, { first: 1, last: 3, prev: 1, next: 3 }],
    ['the last of three', { pageNumber: 3, ...PREVIOUS }, { first: 1, last: 3, prev: 2 }],
    ['a page beyond the last', { pageNumber: 9, ...PREVIOUS }, { first: 1, last: 3, prev: 3 }],
    ['a next page beyond the last', { pageNumber: 3, ...BOTH }, { first: 1, last: 3, prev: 2 }],
    ['a flag without pages', { pageNumber: 2, totalPages: 0, ...PREVIOUS }, {}],
    ['more pages than numbers (D4)', { pageNumber: MAX, totalPages: 2 ** 40, ...BOTH }, { first: 1, prev: MAX - 1 }],
  ])('%s', (_, page, numbers) => {
    const expected = Object.entries(numbers).map(
      ([relation, number]) => `</list?PageNumber=${number}>; rel="${relation}"`,
    );
    const parameters = { PageNumber: String(page.pageNumber ?? 1) };
    expect(linkOf(page, { parameters })).toBe(expected.length === 0 ? undefined : expected.join(', '));
  });

  it.each<[parameters: RequestRecord['parameters'], kept: string]>([
    [{ PageNumber: '1', PageSize: '7', SearchTerm: 'G\u00f6teborg' }, '&PageSize=7&SearchTerm=G%C3%B6teborg'],
    [{ SearchTerm: 'a&b=c#d e+f>",;\\' }, '&SearchTerm=a%26b%3Dc%23d%20e%2Bf%3E%22%2C%3B%5C'],
    [{ FromDate: '2026-01-01T10:00+02:00', SortBy: '' }, '&FromDate=2026-01-01T10%3A00%2B02%3A00&SortBy='],
    [{ Team: ['a', 'b;'] }, '&Team=a&Team=b%3B'],
  ])('keep %j', (parameters, kept) => {
    expect(linkOf({ totalPages: 1, ...NO }, { parameters })).toContain(`</list?PageNumber=1${kept}>; rel="first", `);
  });

  it.each([
    ['2', 1, undefined],
    ['2', 2, 3],
    ['2', 3, 4],
    ['1', 1, 2],
    [undefined, 1, 2],
  ])('D14 next of page %p, where page %d came, is %p', (PageNumber, pageNumber, next) => {
    const link = linkOf({ pageNumber, totalPages: 8 }, { parameters: PageNumber === undefined ? {} : { PageNumber } });
    expect(/PageNumber=(\d+)>; rel="next"/.exec(String(link))?.[1]).toBe(next && String(next));
  });

  it('D84 lead to the path of the request, below the base path, whatever host it names', () => {
    const given = { originalUrl: 'http://other.example/a;b,c?PageNumber=1', publicBasePath: '/base' };
    expect(linkOf({ totalPages: 1, ...NO }, given)).toContain('</base/a%3Bb%2Cc?PageNumber=1>; rel="first"');
  });

  it('come with a partial page, but not with an unavailable one', () => {
    expect(linkOf({}, { completeness: PARTIAL })).toContain('rel="next"');
    expect(linkOf({}, { completeness: UNAVAILABLE })).toBeUndefined();
  });

  it('are left out where they are too long', () => {
    const link = (length: number): string | undefined =>
      linkOf({ totalPages: 10, ...NO }, { parameters: { OrderId: 'x'.repeat(length) } });
    const longest = (MAX_LINK_LENGTH - (link(0)?.length ?? 0)) / 2;
    expect([link(longest)?.length, link(longest + 1)]).toEqual([MAX_LINK_LENGTH, undefined]);
  });
});
