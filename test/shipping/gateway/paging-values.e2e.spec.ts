import { inCamelCase, wireList, type WireObject, wirePage, wireRecords } from '../../../testing/upstream/records';
import { json } from '../../../testing/upstream/responses';
import { expectResponse } from '../../support/expected';
import { useCauses } from '../../support/observed-causes';
import { DETAILS, PAGED } from '../../support/operations';

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

describe('D14 what contradicts itself', () => {
  const { scripted, observe } = useCauses();

  it.each<{ what: string; sent: WireObject; got: object; cause: string }>([
    { what: 'no next page on page 1 of 5', sent: { HasNextPage: false }, got: { hasNextPage: true }, cause: NEXT },
    { what: 'the same as text', sent: { HasNextPage: 'False' }, got: { hasNextPage: true }, cause: NEXT },
    { what: 'pages rounded down', sent: ROUNDED, got: { totalPages: 6, hasNextPage: true }, cause: BOTH },
    { what: 'the same without flags', sent: { ...ROUNDED, ...NO_FLAGS }, got: { hasNextPage: true }, cause: PAGES },
    { what: 'no pages on page 2', sent: { ...NO_FLAGS, ...SECOND }, got: { hasPreviousPage: true }, cause: PAGES },
    { what: 'no pages', sent: { TotalPages: 0 }, got: { totalPages: 5, hasNextPage: true }, cause: PAGES },
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
      expect(observed).toMatchObject({ cause, spans: [cause, cause] });
      expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
    }
  });

  it.each<{ what: string; sent: WireObject }>([
    { what: 'the records of this page', sent: { PageNumber: 2, TotalCount: 10, TotalPages: 1, HasNextPage: false } },
    { what: 'a total of 0 beside records', sent: { TotalCount: 0, TotalPages: 0, HasNextPage: false } },
    { what: 'one too few', sent: { ...LAST, TotalCount: 49 } },
    { what: 'malformed records', sent: { Items: [...TEN.slice(1), null], TotalCount: 9, HasNextPage: false } },
  ])('a total below them: $what', async ({ sent }) => {
    scripted.upstream.respondWith(json(wirePage(TEN, { ...FIRST, HasPreviousPage: true, ...sent })));
    const { response, cause, spans } = await observe(page(sent.PageNumber));
    expectResponse(response, 'partial;reason=bad-reply');
    expect(cause).toContain(TOTAL);
    expect(spans).toEqual([cause, cause]);
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

  it.each<{ what: string; sent: WireObject }>([
    { what: 'null and a total of 0', sent: { Items: null, TotalCount: 0 } },
    { what: 'null and a total of 0 as text', sent: { items: null, totalCount: '0' } },
    { what: 'null and a total of 0 on page 2', sent: { Items: null, TotalCount: 0, PageNumber: 2 } },
    { what: 'no total', sent: { Items: [] } },
    { what: 'a blank total', sent: { Items: [], TotalCount: ' ' } },
    { what: 'a total of null', sent: { items: [], totalCount: null, pageNumber: 1, pageSize: 10 } },
  ])('an empty page: $what', async ({ sent }) => {
    scripted.upstream.respondWith(json(sent));
    const { response, cause } = await observe(page(sent.PageNumber));
    expectResponse(response, 'complete');
    expect(response.json()).toMatchObject({ items: [], totalCount: 0, totalPages: 0, hasNextPage: false });
    expect(cause).toBeUndefined();
  });

  const NO_TOTAL = 'no valid TotalCount: absent';
  it.each<{ what: string; sent: WireObject; cause: string; number?: number }>([
    { what: 'null and no total', sent: { Items: null }, cause: 'Items: null' },
    { what: 'no total behind page 1', sent: { Items: [] }, cause: NO_TOTAL, number: 2 },
    { what: 'page 1 that calls itself 2', sent: { Items: [], PageNumber: 2 }, cause: NO_TOTAL },
    { what: 'page 2 that calls itself 1', sent: { Items: [], PageNumber: 1 }, cause: NO_TOTAL, number: 2 },
    { what: 'records without a total', sent: { Items: TEN }, cause: NO_TOTAL },
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
    { query: '', count: 50, beside: { TotalCount: '600' }, expected: 'complete;limit=50' },
    { query: '', count: 50, beside: { HasNextPage: true }, expected: 'complete;limit=50' },
    { query: '', count: 50, beside: { HasNextPage: 1 }, expected: 'complete;limit=50' },
    { query: '?Limit=1000', count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=50' },
    { query: '?Limit=20', count: 20, beside: { TotalCount: 600 }, expected: 'complete;limit=20' },
    { query: '?Limit=20', count: 50, beside: { TotalCount: 600 }, expected: 'complete;limit=20' },
    { query: '', count: 50, beside: { TotalCount: 50, HasNextPage: false }, expected: 'complete' },
    { query: '', count: 50, beside: { TotalCount: 49 }, expected: 'complete' },
    { query: '', count: 50, beside: { TotalCount: 'many', HasNextPage: 'maybe' }, expected: 'complete' },
    { query: '', count: 0, beside: { TotalCount: 0, HasNextPage: false }, expected: 'complete' },
    { query: '', count: 0, beside: { TotalCount: 600 }, expected: 'partial;reason=bad-reply' },
    { query: '', count: 0, beside: { HasNextPage: true }, expected: 'partial;reason=bad-reply' },
  ])('$query, $count beside $beside', async ({ query, count, beside, expected }) => {
    const upstreamBody = wireList(FIFTY.slice(0, count), beside);
    for (const body of [upstreamBody, inCamelCase(upstreamBody)]) {
      scripted.upstream.respondWith(json(body));
      const response = await scripted.service.request(`GetShippingDetails${query}`);
      expect(response.headers['shipping-completeness']).toBe(expected);
    }
  });

  it('that lacks records is partial, without a limit', async () => {
    scripted.upstream.respondWith(json(wireList([null, ...FIFTY], { TotalCount: 600 })));
    const response = await scripted.service.request('GetShippingDetails');
    expect(response.headers['shipping-completeness']).toBe('partial;reason=bad-reply;dropped=1');
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
