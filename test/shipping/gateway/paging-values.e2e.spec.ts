import {
  inCamelCase,
  wireList,
  type WireObject,
  wirePage,
  wireRecord,
  wireRecords,
} from '../../../testing/upstream/records';
import { json } from '../../../testing/upstream/responses';
import { expectResponse } from '../../support/expected';
import { useCauses } from '../../support/observed-causes';
import { DETAILS, PAGED, rowsFor } from '../../support/operations';

const TEN = wireRecords(10);
const FIRST = { TotalCount: 50, PageNumber: 1, PageSize: 10, TotalPages: 5, HasPreviousPage: false, HasNextPage: true };
const LAST = { PageNumber: 5, HasPreviousPage: true, HasNextPage: false };
const ROUNDED = { ...LAST, TotalCount: 55 };
const SECOND = { PageNumber: 2, TotalPages: 0 };
const NO_FLAGS = { HasPreviousPage: undefined, HasNextPage: undefined };
/** The request for a page of this number. */
const page = (number: unknown = 1, size = 10): typeof PAGED => ({
  ...PAGED,
  request: `GetShippingPagedList?PageNumber=${String(number)}&PageSize=${size}`,
});

const PAGES = 'TotalPages: fewer than the total needs';
const NEXT = 'HasNextPage: false before the last page';
const BOTH = `${PAGES}, ${NEXT}`;
const PREVIOUS = 'HasPreviousPage: false behind the first page';
const MORE = 'HasNextPage: true on the last page';
const FEWER = 'Items: fewer than the total promises';
const TOTAL = 'TotalCount: fewer than the records up to this page';
const ANOTHER_PAGE = 'PageNumber: another than the one requested';

describe('D14 what contradicts itself', () => {
  const { scripted, observe } = useCauses();

  it.each<{ what: string; sent: WireObject; got: object; cause: string }>([
    { what: 'no next page on page 1 of 5', sent: { HasNextPage: false }, got: { hasNextPage: true }, cause: NEXT },
    { what: 'pages rounded down', sent: ROUNDED, got: { totalPages: 6, hasNextPage: true }, cause: BOTH },
    { what: 'the same without flags', sent: { ...ROUNDED, ...NO_FLAGS }, got: { hasNextPage: true }, cause: PAGES },
    { what: 'no pages on page 2', sent: { ...NO_FLAGS, ...SECOND }, got: { hasPreviousPage: true }, cause: PAGES },
    { what: 'no page before page 2', sent: { PageNumber: 2 }, got: { hasPreviousPage: true }, cause: PREVIOUS },
    { what: 'a capped total', sent: { ...LAST, HasNextPage: true }, got: { hasNextPage: true }, cause: MORE },
    { what: 'too few records', sent: { Items: TEN.slice(5) }, got: { totalCount: 50 }, cause: FEWER },
    { what: 'too few on the last page', sent: { ...LAST, Items: [] }, got: { totalCount: 50 }, cause: FEWER },
    { what: 'more than 0', sent: { Items: [], TotalCount: 0, TotalPages: 0 }, got: { hasNextPage: true }, cause: MORE },
  ])('$what: complete', async ({ sent, got, cause }) => {
    for (const spell of [(body: unknown) => body, inCamelCase]) {
      scripted.upstream.respondWith(json(spell(wirePage(TEN, { ...FIRST, ...sent }))));
      const { response, ...observed } = await observe(page(sent.PageNumber));
      expectResponse(response, 'complete');
      expect(response.json()).toMatchObject(got);
      expect(observed).toMatchObject({ cause, spans: [cause] });
      expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
    }
  });

  it.each<{ what: string; sent: WireObject }>([
    { what: 'one too few', sent: { ...LAST, TotalCount: 49 } },
    { what: 'a total of 0 beside records', sent: { TotalCount: 0, TotalPages: 0, HasNextPage: false } },
    { what: 'malformed records', sent: { Items: [...TEN.slice(1), null], TotalCount: 9, HasNextPage: false } },
  ])('a total below them: $what', async ({ sent }) => {
    scripted.upstream.respondWith(json(wirePage(TEN, { ...FIRST, HasPreviousPage: true, ...sent })));
    const { response, cause, spans } = await observe(page(sent.PageNumber));
    expectResponse(response, 'partial;reason=bad-reply');
    expect(cause).toContain(TOTAL);
    expect(spans).toEqual([cause]);
  });

  it.each([
    { what: 'the first page', asked: 3, sent: { PageNumber: 1 } },
    { what: 'the next page', asked: 1, sent: { PageNumber: 2 } },
  ])('D14 $what for page $asked is partial', async ({ asked, sent }) => {
    const { TotalCount, ...values } = { ...FIRST, HasPreviousPage: true, ...sent };
    scripted.upstream.respondWith(json(wirePage(TEN, { TotalCount, ...values })));
    const { response, cause } = await observe(page(asked));
    expectResponse(response, 'partial;reason=bad-reply');
    expect(response.json()).toMatchObject({ pageNumber: sent.PageNumber });
    expect(cause).toBe(ANOTHER_PAGE);
  });

  const REPEATED = [wireRecord({ Id: 'SHP-1', OrderId: 'X' }), wireRecord({ Id: 'SHP-1 ' })];
  it.each([
    { ...PAGED, more: 1 },
    { ...DETAILS, more: 2 },
  ])('D14 $name with an Id $more times more is partial, and all stay', async ({ more, ...operation }) => {
    const records = [...TEN.slice(0, 10 - more), ...REPEATED.slice(0, more)];
    scripted.upstream.respondWith(json({ ...wirePage(records), ...wireList(records) }));
    const { response, cause } = await observe(operation);
    expectResponse(response, 'partial;reason=bad-reply');
    expect(response.body.match(/"id":"SHP-1"/g)).toHaveLength(1 + more);
    expect(cause).toBe(`records with the Id of another (${more})`);
  });

  it('D14 Ids that differ in their case are two', async () => {
    scripted.upstream.respondWith(json(wirePage([wireRecord({ Id: 'a' }), wireRecord({ Id: 'A' })])));
    expectResponse(await scripted.service.request(PAGED.request), 'complete');
  });

  it.each<{ what: string; sent: WireObject }>([
    { what: 'valid values', sent: {} },
    { what: 'the last page', sent: LAST },
    { what: 'more pages than the total needs', sent: { TotalPages: 6 } },
    { what: 'an empty page behind the last', sent: { ...LAST, Items: [], PageNumber: 9 } },
  ])('no contradiction is $what', async ({ sent }) => {
    const values = { ...FIRST, ...sent };
    scripted.upstream.respondWith(json(wirePage(TEN, values)));
    const { response, cause, lines } = await observe(page(values.PageNumber, 7));
    expectResponse(response, 'complete');
    expect([cause, lines]).toEqual([undefined, []]);
    expect(response.json()).toMatchObject(inCamelCase(values) as object);
  });
});

describe('D14 what is read', () => {
  const { scripted, observe } = useCauses();

  it.each<{ what: string; sent: WireObject; total?: number }>([
    { what: 'null and a total of 0', sent: { Items: null, TotalCount: 0 } },
    { what: 'null and a total of 0 as text', sent: { items: null, totalCount: '0' } },
    { what: 'a blank text and a total of 0 on page 2', sent: { Items: ' ', TotalCount: 0, PageNumber: 2 } },
    { what: 'no total', sent: { Items: [] } },
    { what: 'a blank total', sent: { Items: [], TotalCount: ' ' } },
    { what: 'a total of null', sent: { items: [], totalCount: null, pageNumber: 1, pageSize: 10 } },
    { what: 'null behind the last page', sent: { Items: null, TotalCount: 30, PageNumber: 4 }, total: 30 },
    { what: 'a total with blanks', sent: { Items: [], TotalCount: ' 30 ', PageNumber: 4 }, total: 30 },
  ])('an empty page: $what', async ({ sent, total = 0 }) => {
    scripted.upstream.respondWith(json(sent));
    const { response, cause } = await observe(page(sent.PageNumber));
    expectResponse(response, 'complete');
    const totalPages = Math.ceil(total / 10);
    expect(response.json()).toMatchObject({ items: [], totalCount: total, totalPages, hasNextPage: false });
    expect(cause).toBeUndefined();
  });

  const NO_TOTAL = 'no valid TotalCount: absent';
  it.each<{ what: string; sent: WireObject; cause: string; number?: number }>([
    { what: 'null and no total', sent: { Items: null }, cause: 'Items: null' },
    { what: 'no total behind page 1', sent: { Items: [] }, cause: NO_TOTAL, number: 2 },
    { what: 'page 1 that calls itself 2', sent: { Items: [], PageNumber: 2 }, cause: NO_TOTAL },
    { what: 'page 2 that calls itself 1', sent: { Items: [], PageNumber: 1 }, cause: NO_TOTAL, number: 2 },
    { what: 'records without a total', sent: { Items: TEN }, cause: NO_TOTAL },
    { what: 'null on the last page', sent: { Items: null, TotalCount: 30 }, cause: 'Items: null', number: 3 },
    { what: 'no items behind the last page', sent: { TotalCount: 30 }, cause: 'no Items: absent', number: 4 },
  ])('no empty page: $what', async ({ sent, cause, number }) => {
    scripted.upstream.respondWith(json(sent));
    const observed = await observe(page(number));
    expectResponse(observed.response, 'unavailable;reason=bad-reply');
    expect(observed.cause).toBe(cause);
  });
});

describe('D31 a list whose body says that there is more', () => {
  const { scripted, observe } = useCauses();
  const FIFTY = wireRecords(50);

  it.each<{ query: string; count: number; beside: WireObject; expected: string }>([
    { query: '', count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=50' },
    { query: '', count: 50, beside: { HasNextPage: true }, expected: 'complete;limit=50' },
    { query: '?Limit=20', count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=20' },
    { query: '', count: 50, beside: { TotalCount: 50, HasNextPage: false }, expected: 'complete' },
    { query: '', count: 50, beside: { TotalCount: 'many', HasNextPage: 'maybe' }, expected: 'complete' },
    { query: '', count: 0, beside: { TotalCount: 600 }, expected: 'partial;reason=bad-reply' },
    { query: '', count: 0, beside: { HasNextPage: true }, expected: 'partial;reason=bad-reply' },
    ...['NextLink', 'next', '@odata.nextLink'].flatMap((name) => [
      { query: '', count: 50, beside: { [name]: '/v2/shipments?cursor=abc' }, expected: 'complete;limit=50' },
      { query: '', count: 50, beside: { [name]: ' ' }, expected: 'complete' },
      { query: '', count: 50, beside: { [name]: true }, expected: 'complete' },
      { query: '', count: 0, beside: { [name]: '?page=2' }, expected: 'partial;reason=bad-reply' },
    ]),
    ...['hasMore', 'HAS_MORE'].flatMap((name) => [
      { query: '', count: 50, beside: { [name]: true }, expected: 'complete;limit=50' },
      { query: '', count: 50, beside: { [name]: false }, expected: 'complete' },
    ]),
    { query: '', count: 50, beside: { HasNextPage: false, hasMore: true }, expected: 'complete;limit=50' },
  ])('$query, $count beside $beside', async ({ query, count, beside, expected }) => {
    const upstreamBody = wireList(FIFTY.slice(0, count), beside);
    for (const body of [upstreamBody, inCamelCase(upstreamBody)]) {
      scripted.upstream.respondWith(json(body));
      const response = await scripted.service.request(`GetShippingDetails${query}`);
      expect(response.headers['shipping-completeness']).toBe(expected);
    }
  });

  it.each<{ headers: Record<string, string>; count: number; expected: string }>([
    { headers: { 'x-total-count': ' 51 ' }, count: 50, expected: 'complete;limit=50' },
    { headers: { 'X-Total-Count': '50' }, count: 50, expected: 'complete' },
    { headers: { 'X-Total-Count': '600' }, count: 0, expected: 'partial;reason=bad-reply' },
    { headers: { Link: '<https://api.example/a?page=2>; rel="next"' }, count: 50, expected: 'complete;limit=50' },
    { headers: { Link: '</a?b,c;d>; rel=first, </a>; title="x"; REL=next' }, count: 50, expected: 'complete;limit=50' },
    { headers: { Link: '</a?page=2>; rel="last next"' }, count: 50, expected: 'complete;limit=50' },
    { headers: { Link: '</a?rel="next">; rel="prev"' }, count: 50, expected: 'complete' },
    { headers: { Link: '</a?page=1>; rel="prev next-archive"' }, count: 50, expected: 'complete' },
  ])('$headers, $count records: $expected', async ({ headers, count, expected }) => {
    scripted.upstream.respondWith(json(wireList(FIFTY.slice(0, count)), { headers }));
    const response = await scripted.service.request('GetShippingDetails');
    expect(response.headers['shipping-completeness']).toBe(expected);
  });

  const NO_FLAG = { ...NO_FLAGS, TotalCount: 10, TotalPages: 1 };
  it.each<{ beside: WireObject; headers?: Record<string, string>; hasNextPage: boolean; records?: WireObject[] }>([
    { beside: { nextLink: '/a' }, hasNextPage: true },
    { beside: { has_more: '1' }, hasNextPage: true },
    { beside: {}, headers: { Link: '</a>; rel="next"' }, hasNextPage: true },
    { beside: { nextLink: '/a', HasNextPage: false }, hasNextPage: false },
    { beside: { nextLink: '/a', TotalCount: 0, TotalPages: 0 }, hasNextPage: false, records: [] },
    { beside: {}, headers: { 'X-Total-Count': '600' }, hasNextPage: false },
  ])('a page beside $beside $headers: $hasNextPage', async ({ beside, headers, hasNextPage, records = TEN }) => {
    scripted.upstream.respondWith(json(wirePage(records, { ...NO_FLAG, ...beside }), { headers }));
    const { response, cause } = await observe(page());
    expectResponse(response, 'complete');
    expect(response.json()).toMatchObject({ totalCount: records.length, hasNextPage });
    expect(cause).toBe(hasNextPage ? MORE : undefined);
  });

  it('D81 an empty one names the contradiction', async () => {
    scripted.upstream.respondWith(json(wireList([], { TotalCount: 600 })));
    const { cause } = await observe(DETAILS);
    expect(cause).toBe('ShippingDetails: empty below the total');
  });

  it('null beside a total of 0 is an empty list', async () => {
    scripted.upstream.respondWith(json({ ShippingDetails: null, TotalCount: 0 }));
    expectResponse(await scripted.service.request('GetShippingDetails'), 'complete');
  });
});

describe('D18 a list that says that it failed', () => {
  const { scripted, observe } = useCauses({ CACHE_TTL_MS: '1', CACHE_STALE_IF_ERROR_MS: '600000' });
  const listsOf = (records: readonly WireObject[] | undefined, beside: WireObject) =>
    json({ ...wirePage(records ?? [], { TotalCount: records?.length ?? 0 }), ...wireList(records ?? []), ...beside });
  const lists = rowsFor([PAGED, DETAILS], [
    [{ Success: false }, 'Success'],
    [{ isSuccess: 0 }, 'isSuccess'],
    [{ Succeeded: '0' }, 'Succeeded'],
    [{ error: 'x' }, 'error'],
    [{ Errors: ['x'] }, 'Errors'],
    [{ fault: { faultstring: 'x' } }, 'fault'],
    [{ ERROR: 42 }, 'ERROR'],
    [{ error: { code: '7', message: 'x' } }, 'error'],
    [{ Success: false, Errors: ['x'] }, 'Success'],
  ] as [WireObject, string][]);

  it.each(lists)('%s %j: %s', async (_, beside, name, operation) => {
    const cause = `${name}: says that it failed`;
    const [first] = TEN;
    scripted.upstream.respondWith(listsOf(TEN.slice(0, 3), {}));
    expectResponse(await scripted.service.request(operation.request), 'complete');
    // What failed never replaces what is cached, with or without its list.
    for (const records of [[], undefined]) {
      scripted.upstream.respondWith(
        listsOf(records, { ...beside, ...(records ?? { Items: null, ShippingDetails: null }) }),
      );
      const observed = await observe(operation);
      expectResponse(observed.response, 'stale;reason=bad-reply');
      expect([observed.cause, observed.response.body]).toEqual([cause, expect.stringContaining('"SHP-3"')]);
    }
    scripted.upstream.respondWith(listsOf([first ?? {}], beside));
    const observed = await observe(operation);
    expectResponse(observed.response, 'partial;reason=bad-reply');
    expect(observed.cause).toBe(cause);
  });

  const GOOD = [null, false, 0, '0', 'false', '', ' ', [], {}, { code: 0, message: 'ok' }, { Code: '0' }];
  it.each([
    ...GOOD.map((error) => ({ error })),
    ...[true, 1, null, 'no'].map((Success) => ({ Success })),
    { status: 'failed', message: 'x', Warnings: ['x'] },
  ])('does not with %j', async (beside) => {
    for (const operation of [PAGED, DETAILS]) {
      scripted.upstream.respondWith(listsOf(TEN, beside));
      expectResponse(await scripted.service.request(operation.request), 'complete');
    }
  });
});
