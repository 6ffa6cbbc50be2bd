import fc from 'fast-check';
import { useSandbox } from '../../../test/support/sandboxed-service';
import {
  CrowdedInstant,
  IncompleteList,
  ListChanged,
  type ListedRecord,
  type PagedShippingList,
  type Progress,
  ShippingClient,
  type ShippingListItem,
  UnexpectedAnswer,
} from '../src/index.ts';
import { ChangingList, millisecondOf, type Stored } from './support/changing-list.ts';
import { clientWith, complete, page, read, type Sent } from './support/stubbed-client.ts';

interface Parcel extends ListedRecord {
  readonly carrier: string;
}

/** Records whose ids are numbers in turn. */
const numbered = (from: number, count: number): PagedShippingList['items'] =>
  Array.from({ length: count }, (_, index) => ({ id: `SHP-${from + index}` }) as ShippingListItem);

/** Responds with a page of these records, or with what stands for its number. */
const pagesOf =
  (count: number, instead: Readonly<Record<number, Response>> = {}) =>
  ({ url }: Sent): Response => {
    const pageNumber = Number(url.searchParams.get('PageNumber'));
    const pageSize = Number(url.searchParams.get('PageSize'));
    const items = numbered(1, count).slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    return instead[pageNumber] ?? page(items, [pageNumber, pageSize, count]);
  };

describe('a list that does not change', () => {
  const service = useSandbox(300);

  it.each([
    {},
    { SearchTerm: 'berlin' },
    { FromDate: '2025-06-01', ToDate: '2026-01-31' },
    { SearchTerm: 'no such place' },
  ])('D14 D29 %j: each way of reading has every record once', async (filter) => {
    const client = new ShippingClient({ baseUrl: service().url });
    const items = await read(client.items({ ...filter, PageSize: 7 }));
    const pages = await read(client.pages({ ...filter, PageSize: 7 }));
    const exported = await read(client.exportItems({ ...filter, PageSize: 20 }));
    const listed = await client.getShippingDetails({ ...filter, Limit: 1000 });
    expect(pages.items.flatMap(({ data }) => data.items)).toEqual(items.items);
    expect(pages.items.map(({ data }) => data.pageNumber)).toEqual(pages.items.map((_, index) => index + 1));
    const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id).sort();
    expect([ids(items.items), ids(exported.items)]).toEqual([ids(listed.data), ids(listed.data)]);
    expect([items.error, pages.error, exported.error]).toEqual([undefined, undefined, undefined]);
  });
});

describe('pages and items', () => {
  it.each(['pages', 'items', 'exportItems'] as const)('D85 %s reads the operation of a team', async (method) => {
    const { client, sent } = clientWith(new ChangingList([1_000, 2_000, 3_000]).serve);
    const progress: string[] = [];
    const onProgress = ({ records, total }: Progress): unknown => progress.push(`${records} of ${total}`);
    const options = { operation: { url: '/api/parcels/{id}/list', path: { id: 'a b' } }, onProgress };
    const params = { Carrier: 'x', PageSize: 2 };
    const listed: Record<typeof method, () => AsyncIterable<Parcel | { data: { items: Parcel[] } }>> = {
      pages: () => client.pages<Parcel>(params, options),
      items: () => client.items<Parcel>(params, options),
      exportItems: () => client.exportItems<Parcel>(params, options),
    };
    expect((await read(listed[method]())).error).toBeUndefined();
    expect(new Set(sent.map(({ url }) => url.pathname))).toEqual(new Set(['/api/parcels/a%20b/list']));
    expect(new Set(sent.map(({ url }) => url.searchParams.get('Carrier')))).toEqual(new Set(['x']));
    expect(progress).toEqual(['2 of 3', '3 of 3']);
  });

  it('D20 an unavailable page is an error that names it, no end', async () => {
    const empty = page([], [2, 2, 0], 'unavailable;reason=upstream-error');
    const { items, error } = await read(clientWith(pagesOf(5, { 2: empty })).client.items({ PageSize: 2 }));
    expect(items).toEqual([{ id: 'SHP-1' }, { id: 'SHP-2' }]);
    expect(error).toBeInstanceOf(IncompleteList);
    const completeness = { level: 'unavailable', reason: 'upstream-error' };
    expect(error).toMatchObject({ name: 'IncompleteList', pageNumber: 2, completeness, requestId: 'r-1' });
  });

  it('D20 a partial page is one of pages, and an error of items', async () => {
    const partial = (): Response => page(numbered(1, 2), [1, 2, 4], 'partial;reason=bad-reply');
    const pages = await read(clientWith(pagesOf(4, { 1: partial() })).client.pages({ PageSize: 2 }));
    expect(pages.items.map(({ completeness }) => completeness.level)).toEqual(['partial', 'complete']);
    const items = await read(clientWith(pagesOf(4, { 1: partial() })).client.items({ PageSize: 2 }));
    expect(items).toMatchObject({ items: [], error: { pageNumber: 1, completeness: { level: 'partial' } } });
  });

  /** Pages of ten of 25 records: what is wrong with them, and how many pages are handed over before it shows. */
  interface Faulty {
    readonly fault: string;
    readonly change: (page: PagedShippingList) => Partial<PagedShippingList>;
    readonly before: number;
  }
  const onPage = (number: number, change: Faulty['change']): Faulty['change'] =>
    (page) => (page.pageNumber === number ? change(page) : {}); // prettier-ignore
  const withoutOne: Faulty['change'] = ({ items }) => ({ items: items.slice(1) });
  const repeatOne: Faulty['change'] = ({ items }) => ({ items: [...items.slice(1), ...items.slice(1, 2)] });
  const faulty: Faulty[] = [
    { fault: 'always shows the first page', change: () => ({ pageNumber: 1, hasNextPage: true }), before: 1 },
    { fault: 'has no next page before the last', change: () => ({ hasNextPage: false }), before: 0 },
    { fault: 'counts a page too few', change: (of) => ({ totalPages: 2, hasNextPage: of.pageNumber < 2 }), before: 0 },
    { fault: 'counts a page too many', change: (of) => ({ totalPages: 4, hasNextPage: of.pageNumber < 4 }), before: 0 },
    { fault: 'counts pages of no records', change: () => ({ pageSize: 0 }), before: 0 },
    { fault: 'has a next page after the last', change: () => ({ hasNextPage: true }), before: 2 },
    { fault: 'sorts equal records anew', change: onPage(2, () => ({ items: numbered(8, 10) })), before: 1 },
    { fault: 'repeats a record', change: repeatOne, before: 0 },
    { fault: 'shows fewer records than a page has', change: onPage(2, withoutOne), before: 1 },
    { fault: 'shows fewer records than it counts', change: onPage(3, withoutOne), before: 2 },
    { fault: 'shows no records, and counts some', change: () => ({ items: [] }), before: 0 },
    { fault: 'shows more records than a page has', change: () => ({ items: numbered(1, 11) }), before: 0 },
  ];
  it.each(faulty)('D14 a service that $fault is an error, and no end', async ({ change, before }) => {
    const serve = async (sent: Sent): Promise<Response> => {
      const valid = (await pagesOf(25)(sent).json()) as PagedShippingList;
      return complete({ ...valid, ...change(valid) });
    };
    const pages = await read(clientWith(serve).client.pages({ PageSize: 10 }));
    const items = await read(clientWith(serve).client.items({ PageSize: 10 }));
    const error = expect.any(UnexpectedAnswer);
    expect([pages.error, items.error]).toEqual([error, error]);
    expect({ pages: pages.items.length, items: items.items.length }).toEqual({ pages: before, items: before * 10 });
  });

  it('D14 D73 dropped records of a partial page are counted', async () => {
    const dropped = 'partial;reason=bad-reply;dropped=1';
    const { client } = clientWith(pagesOf(4, { 1: page(numbered(1, 1), [1, 2, 4], dropped) }));
    expect(await read(client.pages({ PageSize: 2 }))).toMatchObject({ items: [{}, {}], error: undefined });
  });

  it('a record that another one moved is an error of items only', async () => {
    const serve = (_: Sent, call: number): Response =>
      call === 1 ? page(numbered(1, 2), [1, 2, 3]) : page(numbered(2, 2), [2, 2, 4]);
    const pages = await read(clientWith(serve).client.pages({ PageSize: 2 }));
    expect([pages.items.map(({ data }) => data.totalCount), pages.error]).toEqual([[3, 4], undefined]);
    const items = await read(clientWith(serve).client.items({ PageSize: 2 }));
    expect(items.error).toBeInstanceOf(ListChanged);
  });

  it('an aborted signal ends it between two pages', async () => {
    const { client, sent } = clientWith(pagesOf(50));
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { data } of client.pages({ PageSize: 5 }, { signal: controller.signal })) {
        if (data.pageNumber === 3) controller.abort('enough');
      }
    })();
    await expect(reading).rejects.toBe('enough');
    expect(sent.map(({ url }) => url.searchParams.get('PageNumber'))).toEqual(['1', '2', '3']);
  });

  it('a record that vanishes meanwhile is an error of items', async () => {
    const { client } = clientWith((sent, call) => pagesOf(6 - call)(sent));
    const { items, error } = await read(client.items({ PageSize: 2 }));
    expect([items.length, error]).toEqual([2, expect.any(ListChanged)]);
    const message = 'totalCount was 5 and is 4 on page 2: records may be missing';
    const counts = { pageNumber: 2, totalCountBefore: 5, totalCountNow: 4 };
    expect(error).toMatchObject({ name: 'ListChanged', message, ...counts, requestId: 'r-1' });
  });
});

describe('exportItems of a list that changes meanwhile', () => {
  const instant = fc.integer({ min: 0, max: 40_000 });
  const change = fc.record({ come: fc.array(instant, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) });

  it('has every record that stays, once and in order, or an error', async () => {
    const instants = fc.array(instant, { maxLength: 30 });
    const pageSize = fc.integer({ min: 2, max: 9 });
    const changes = fc.array(change, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(instants, changes, pageSize, fc.boolean(), async (initial, made, PageSize, excludes) => {
        const list = new ChangingList(initial, made, excludes);
        const before = [...list.records];
        const { items, error } = await read(clientWith(list.serve).client.exportItems({ PageSize }));
        const ids = items.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const dates = items.map(({ createdDate }) => String(createdDate));
        expect(dates).toEqual([...dates].sort());
        if (error === undefined) {
          const stayed = before.filter((record) => list.records.includes(record));
          expect(ids).toEqual(expect.arrayContaining(stayed.map(({ id }) => id)));
        } else {
          expect(error).toBeInstanceOf(CrowdedInstant);
          const last = Date.parse((error as CrowdedInstant).createdDate ?? '');
          // Of two milliseconds where the first page of the instant had none of it.
          const isNear = (record: Stored): boolean => [last - 1, last].includes(millisecondOf(record));
          expect(list.everStored.filter(isNear).length).toBeGreaterThanOrEqual(PageSize);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('D20 a partial page of 100 is an error that says from where', async () => {
    const first = page(
      numbered(1, 1).map((record) => ({ ...record, createdDate: '2026-03-01T00:00:00.000Z' })),
      [1, 1, 2],
    );
    const partial = page([], [1, 100, 0], 'partial;reason=bad-reply');
    const { client, sent } = clientWith((_, call) => (call === 1 ? first : partial));
    const { items, error } = await read(client.exportItems());
    expect(items).toMatchObject([{ id: 'SHP-1' }]);
    expect(error).toBeInstanceOf(IncompleteList);
    expect(error).toMatchObject({ fromDate: '2026-03-01T00:00:00.000Z', pageNumber: 1 });
    expect(sent.map(({ url }) => url.searchParams.get('PageSize'))).toEqual(['100', '100']);
  });

  it('a page full of one instant is a CrowdedInstant', async () => {
    const { serve } = new ChangingList([5_000, 7_000, 7_001, 7_999, 9_000]);
    const { items, error } = await read(clientWith(serve).client.exportItems({ PageSize: 3 }));
    expect([items.length, error]).toEqual([4, expect.any(CrowdedInstant)]);
    expect(error).toMatchObject({ createdDate: '1970-01-01T00:00:00.007Z', count: 3, requestId: 'r-1' });
  });

  const [first, second] = [1, 2].map((day) => ({ id: `SHP-${day}`, createdDate: `2026-01-0${day}T00:00:00.000Z` }));
  it.each([
    ['does not sort', [page([second, first] as object[], [1, 2, 9])], 0],
    ['ignores FromDate', [1, 2].map(() => page([first, second] as object[], [1, 2, 9])), 2],
    ['shows fewer records than it counts', [1, 2].map(() => page([first] as object[], [1, 9, 9])), 1],
  ])('a service that %s is an UnexpectedAnswer', async (_, pages, before) => {
    const { client, sent } = clientWith((_sent, call) => pages[call - 1] ?? Response.error());
    const { items, error } = await read(client.exportItems());
    expect([items.length, error, sent.length]).toEqual([before, expect.any(UnexpectedAnswer), pages.length]);
  });
});
