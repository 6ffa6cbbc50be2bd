import { inCamelCase, wireList, type WireObject, wirePage, wireRecords } from '../../../testing/upstream/records';
import { json } from '../../../testing/upstream/responses';
import { failed, malformed, useCauses } from '../../support/observed-causes';
import { expectResponse, PAGED } from '../../support/operations';
import type { HttpResponse } from '../../support/service';

const TEN = wireRecords(10);
const FIRST = { TotalCount: 50, PageNumber: 1, PageSize: 10, TotalPages: 5, HasPreviousPage: false, HasNextPage: true };
const page = (number: number, size = 10): typeof PAGED => ({
  ...PAGED,
  request: `GetShippingPagedList?PageNumber=${number}&PageSize=${size}`,
});
const relations = ({ headers }: HttpResponse): unknown => String(headers.link).match(/(?<=rel=")\w+/g);

const PAGES = 'TotalPages: fewer than the total needs';
const NEXT = 'HasNextPage: false before the last page';
const PREVIOUS = 'HasPreviousPage: false behind the first page';
const MORE = 'HasNextPage: true on the last page';
const FEWER = 'Items: fewer than the total promises';
const TOTAL = 'TotalCount: fewer than the records up to this page';

describe('D14 what contradicts itself', () => {
  const { scripted, observe } = useCauses();

  it.each<[what: string, number: number, sent: WireObject, expected: object, links: string, cause: string]>([
    ['no next page on page 1 of 5', 1, { HasNextPage: false }, { hasNextPage: true }, 'first last next', NEXT],
    ['the same as text', 1, { HasNextPage: 'False' }, { hasNextPage: true }, 'first last next', NEXT],
    [
      'pages rounded down',
      5,
      { TotalCount: 55, PageNumber: 5, HasPreviousPage: true, HasNextPage: false },
      { totalPages: 6, hasNextPage: true },
      'first last prev next',
      `${PAGES}, ${NEXT}`,
    ],
    ['no pages', 1, { TotalPages: 0 }, { totalPages: 5, hasNextPage: true }, 'first last next', PAGES],
    [
      'no page before page 2',
      2,
      { PageNumber: 2 },
      { hasPreviousPage: true, hasNextPage: true },
      'first last prev next',
      PREVIOUS,
    ],
    [
      'a capped total',
      5,
      { PageNumber: 5, HasPreviousPage: true },
      { totalPages: 5, hasNextPage: true },
      'first last prev',
      MORE,
    ],
    ['fewer records than the page has', 1, { Items: TEN.slice(5) }, { totalCount: 50 }, 'first last next', FEWER],
    [
      'fewer records than the last page has',
      5,
      { Items: [], PageNumber: 5, HasPreviousPage: true, HasNextPage: false },
      { items: [], totalCount: 50 },
      'first last prev',
      FEWER,
    ],
    [
      'a total of 0 beside a next page',
      1,
      { Items: [], TotalCount: 0, TotalPages: 0 },
      { hasNextPage: true },
      '',
      MORE,
    ],
  ])('%s: complete', async (_, number, sent, expected, links, cause) => {
    for (const spell of [(body: unknown) => body, inCamelCase]) {
      scripted.upstream.respondWith(json(spell(wirePage(TEN, { ...FIRST, ...sent }))));
      const { response, ...observed } = await observe(page(number));
      expectResponse(response, 'complete');
      expect(response.json()).toMatchObject(expected);
      expect(relations(response) ?? []).toEqual(links.split(' ').filter((link) => link !== ''));
      expect(observed).toMatchObject({ cause, spans: [cause, cause] });
      expect(response.body + JSON.stringify(response.headers)).not.toContain(cause);
    }
  });

  it('D81 each sentence has a line of its own, once a minute', async () => {
    scripted.upstream.respondWith(json(wirePage(TEN, { ...FIRST, TotalPages: 1, HasNextPage: false })));
    const { lines } = await observe(PAGED);
    const sentences = lines.map((line) => line.replace(/ \(\d+ times\)$/, ''));
    expect(sentences).toEqual([malformed(PAGED, PAGES), malformed(PAGED, NEXT)]);
    expect((await observe(PAGED)).lines).toEqual([]);
  });

  it.each<[what: string, sent: WireObject]>([
    ['the records of this page', { PageNumber: 2, TotalCount: 10, TotalPages: 1, HasNextPage: false }],
    ['a total of 0 beside records', { TotalCount: 0, TotalPages: 0, HasNextPage: false }],
    ['one too few', { PageNumber: 5, TotalCount: 49, HasPreviousPage: true, HasNextPage: false }],
    ['malformed records counted, too', { Items: [...TEN.slice(1), null], TotalCount: 9, HasNextPage: false }],
  ])('a total below them: %s', async (_, sent) => {
    scripted.upstream.respondWith(json(wirePage(TEN, { ...FIRST, HasPreviousPage: true, ...sent })));
    const { response, cause, spans } = await observe(page(2));
    expectResponse(response, 'partial;reason=bad-reply');
    expect(cause).toContain(TOTAL);
    expect(spans).toEqual([cause, cause]);
  });

  it.each<[what: string, number: number, sent: WireObject]>([
    ['valid values', 1, {}],
    ['the last page', 5, { PageNumber: 5, HasPreviousPage: true, HasNextPage: false }],
    ['more pages than the total needs', 1, { TotalPages: 6 }],
    ['an empty page behind the last', 9, { Items: [], PageNumber: 9, HasPreviousPage: true, HasNextPage: false }],
  ])('no contradiction is %s', async (_, number, sent) => {
    const upstreamBody = wirePage(TEN, { ...FIRST, ...sent });
    scripted.upstream.respondWith(json(upstreamBody));
    const { response, cause, lines } = await observe(page(number, 7));
    expectResponse(response, 'complete');
    expect([cause, lines]).toEqual([undefined, []]);
    const { TotalCount, PageNumber, PageSize, TotalPages, HasPreviousPage, HasNextPage } = upstreamBody;
    expect(response.json()).toMatchObject({
      totalCount: TotalCount,
      pageNumber: PageNumber,
      pageSize: PageSize,
      totalPages: TotalPages,
      hasPreviousPage: HasPreviousPage,
      hasNextPage: HasNextPage,
    });
  });
});

describe('D14 what is read', () => {
  const { scripted, observe } = useCauses();

  it('counts as text of decimal digits', async () => {
    const sent = { TotalCount: '50', PageNumber: '1', PageSize: '10', TotalPages: '5' };
    scripted.upstream.respondWith(json(wirePage(TEN, { ...FIRST, ...sent })));
    const { response, cause } = await observe(page(1));
    expectResponse(response, 'complete');
    expect(response.json()).toMatchObject({ totalCount: 50, pageNumber: 1, pageSize: 10, totalPages: 5 });
    expect(cause).toBeUndefined();
  });

  it.each(['', ' ', '-1', '1.0', '1e1', '0x1', '007', '+5', '5 records', '9007199254740993'])(
    '%j is no count',
    async (TotalCount) => {
      scripted.upstream.respondWith(json(wirePage(TEN, { TotalCount })));
      const { response, lines } = await observe(page(1));
      expectResponse(response, 'unavailable;reason=bad-reply');
      expect(lines).toEqual([failed(PAGED, 'no valid TotalCount: text')]);
    },
  );

  it.each<[what: string, sent: WireObject, number?: number]>([
    ['null and a total of 0', { Items: null, TotalCount: 0 }],
    ['null and a total of 0 as text', { items: null, totalCount: '0' }],
    ['null and a total of 0 on page 2', { Items: null, TotalCount: 0, PageNumber: 2 }, 2],
    ['no total', { Items: [] }],
    ['a total of null', { items: [], totalCount: null, pageNumber: 1, pageSize: 10 }],
  ])('an empty page: %s', async (_, sent, number = 1) => {
    scripted.upstream.respondWith(json(sent));
    const { response, cause } = await observe(page(number));
    expectResponse(response, 'complete');
    expect(response.json()).toMatchObject({ items: [], totalCount: 0, totalPages: 0, hasNextPage: false });
    expect(cause).toBeUndefined();
  });

  it.each<[what: string, sent: WireObject, cause: string, number?: number]>([
    ['null and records', { Items: null, TotalCount: 3 }, 'Items: null'],
    ['null and no total', { Items: null }, 'Items: null'],
    ['nothing', {}, 'no Items: absent'],
    ['no total behind page 1', { Items: [] }, 'no valid TotalCount: absent', 2],
    ['no total on page 2 that calls itself 1', { Items: [], PageNumber: 1 }, 'no valid TotalCount: absent', 2],
    ['records without a total', { Items: TEN }, 'no valid TotalCount: absent'],
    ['a total of another type', { Items: [], TotalCount: {} }, 'no valid TotalCount: object'],
  ])('no empty page: %s', async (_, sent, expected, number = 1) => {
    scripted.upstream.respondWith(json(sent));
    const { response, cause } = await observe(page(number));
    expectResponse(response, 'unavailable;reason=bad-reply');
    expect(cause).toBe(expected);
  });
});

describe('D31 a list whose body says that there is more', () => {
  const { scripted, observe } = useCauses();
  const FIFTY = wireRecords(50);

  it.each<[query: string, count: number, beside: WireObject, expected: string]>([
    ['', 50, { TotalCount: 600 }, 'complete;limit=50'],
    ['', 50, { TotalCount: '600' }, 'complete;limit=50'],
    ['', 50, { HasNextPage: true }, 'complete;limit=50'],
    ['', 50, { HasNextPage: 1 }, 'complete;limit=50'],
    ['?Limit=1000', 50, { TotalCount: 600 }, 'complete;limit=50'],
    ['?Limit=1000', 100, {}, 'complete;limit=100'],
    ['?Limit=20', 20, { TotalCount: 600 }, 'complete;limit=20'],
    ['?Limit=20', 50, { TotalCount: 600 }, 'complete;limit=20'],
    ['', 50, { TotalCount: 50, HasNextPage: false }, 'complete'],
    ['', 50, { TotalCount: 49 }, 'complete'],
    ['', 50, { TotalCount: 'many', HasNextPage: 'maybe' }, 'complete'],
    ['', 0, { TotalCount: 0, HasNextPage: false }, 'complete'],
    ['', 0, { TotalCount: 600 }, 'partial;reason=bad-reply'],
    ['', 0, { HasNextPage: true }, 'partial;reason=bad-reply'],
  ])('%s, %i beside %j: %s', async (query, count, beside, expected) => {
    const upstreamBody = wireList([...FIFTY, ...wireRecords(50)].slice(0, count), beside);
    for (const body of [upstreamBody, inCamelCase(upstreamBody)]) {
      scripted.upstream.respondWith(json(body));
      const response = await scripted.service.request(`GetShippingDetails${query}`);
      expect(response.headers['shipping-completeness']).toBe(expected);
      expectResponse(response, expected);
    }
  });

  it('that lacks records is partial, without a limit', async () => {
    scripted.upstream.respondWith(json(wireList([null, ...FIFTY], { TotalCount: 600 })));
    const response = await scripted.service.request('GetShippingDetails');
    expect(response.headers['shipping-completeness']).toBe('partial;reason=bad-reply;dropped=1');
  });

  it('D81 an empty one names the contradiction', async () => {
    scripted.upstream.respondWith(json(wireList([], { TotalCount: 600 })));
    const { cause } = await observe({ ...PAGED, name: 'GetShippingDetails', request: 'GetShippingDetails' });
    expect(cause).toBe('ShippingDetails: empty below the total (1)');
  });

  it('null beside a total of 0 is an empty list', async () => {
    scripted.upstream.respondWith(json({ ShippingDetails: null, TotalCount: 0 }));
    expectResponse(await scripted.service.request('GetShippingDetails'), 'complete');
  });
});
