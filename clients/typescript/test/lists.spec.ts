import fc from 'fast-check';
import { startSandbox } from '../../../src/sandbox/start-sandbox';
import { RunningService } from '../../../test/support/service';
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

it.each([
  {},
  { SearchTerm: 'berlin' },
  { FromDate: '2025-06-01', ToDate: '2026-01-31' },
  { SearchTerm: 'no such place' },
])('D14 D29 %j: pages, items and the export have every record once', async (filter) => {
  const sandbox = await startSandbox({ port: 0, records: 300, variant: 'extended' });
  const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: await sandbox.getUrl() });
  const client = new ShippingClient({ baseUrl: service.url });
  const items = await read(client.items({ ...filter, PageSize: 7 }));
  const pages = await read(client.pages({ ...filter, PageSize: 7 }));
  const exported = await read(client.exportItems({ ...filter, PageSize: 20 }));
  const listed = await client.getShippingDetails({ ...filter, Limit: 1000 });
  await service.close();
  await sandbox.close();
  expect(pages.items.flatMap(({ data }) => data.items)).toEqual(items.items);
  expect(pages.items.map(({ data }) => data.pageNumber)).toEqual(pages.items.map((_, index) => index + 1));
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id).sort();
  expect([ids(items.items), ids(exported.items)]).toEqual([ids(listed.data), ids(listed.data)]);
  expect([items.error, pages.error, exported.error]).toEqual([undefined, undefined, undefined]);
});

describe('pages and items', () => {
  it.each(['pages', 'items', 'exportItems'] as const)(
    'D85 %s reads the operation of a team, with its parameters, and shows its progress',
    async (method) => {
      const dated = (pageNumber: number, from = ''): Response => {
        const all = [1, 2, 3].map((day) => ({
          id: `P-${day}`,
          createdDate: `2026-03-0${day}T00:00:00.000Z`,
          carrier: 'x',
        }));
        const left = all.filter(({ createdDate }) => createdDate >= from);
        return page(left.slice((pageNumber - 1) * 2, pageNumber * 2), [pageNumber, 2, left.length]);
      };
      const { client, sent } = clientWith(({ url: { searchParams: query } }) =>
        dated(Number(query.get('PageNumber')), query.get('FromDate') ?? ''),
      );
      const progress: Progress[] = [];
      const operation = { url: '/api/parcels/{id}/list', path: { id: 'a b' } };
      const onProgress = (each: Progress): unknown => progress.push(each);
      const options = { operation, onProgress };
      const params = { Carrier: 'x', PageSize: 2 };
      const listed: Record<typeof method, () => AsyncIterable<Parcel | { data: { items: Parcel[] } }>> = {
        pages: () => client.pages<Parcel>(params, options),
        items: () => client.items<Parcel>(params, options),
        exportItems: () => client.exportItems<Parcel>(params, options),
      };
      const found = await read(listed[method]());
      expect(found.error).toBeUndefined();
      expect(sent[0]?.url.pathname).toBe('/api/parcels/a%20b/list');
      expect(new Set(sent.map(({ url }) => url.searchParams.get('Carrier')))).toEqual(new Set(['x']));
      expect(progress.map(({ records, total }) => `${records} of ${total}`)).toEqual(['2 of 3', '3 of 3']);
    },
  );

  it('D20 a page that is unavailable is an error that names the page, never an end', async () => {
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
  const faulty: [string, (page: PagedShippingList, askedFor: number) => Partial<PagedShippingList>, number][] = [
    ['always shows the first page', () => ({ pageNumber: 1, hasNextPage: true }), 1],
    ['has no next page before the last', () => ({ hasNextPage: false }), 0],
    ['counts a page less than there are', ({ pageNumber }) => ({ totalPages: 2, hasNextPage: pageNumber < 2 }), 0],
    ['counts a page more than there are', ({ pageNumber }) => ({ totalPages: 4, hasNextPage: pageNumber < 4 }), 0],
    ['counts pages of no records', () => ({ pageSize: 0 }), 0],
    ['repeats the last page for ever', ({ items }, page) => (page < 3 ? {} : { items, hasNextPage: true }), 2],
    ['has a next page after the last', () => ({ hasNextPage: true }), 2],
    ['sorts equal records anew each time', ({ items }, page) => ({ items: page === 2 ? numbered(8, 10) : items }), 1],
    ['shows a record twice on a page', ({ items }) => ({ items: [...items.slice(1), ...items.slice(1, 2)] }), 0],
    ['shows fewer records than a page has', ({ items }, page) => ({ items: page === 2 ? items.slice(1) : items }), 1],
    ['shows fewer records than it counts', ({ items }, page) => ({ items: page === 3 ? items.slice(1) : items }), 2],
    ['shows no records, and counts some', () => ({ items: [] }), 0],
    ['shows more records than a page has', () => ({ items: numbered(1, 11) }), 0],
  ];
  it.each(faulty)('D14 a service that %s is an error, neither an end nor endless', async (_, change, before) => {
    const serve = async (sent: Sent): Promise<Response> => {
      const valid = (await pagesOf(25)(sent).json()) as PagedShippingList;
      return complete({ ...valid, ...change(valid, valid.pageNumber) });
    };
    const pages = await read(clientWith(serve).client.pages({ PageSize: 10 }));
    expect([pages.items.length, pages.error]).toEqual([before, expect.any(UnexpectedAnswer)]);
    const items = await read(clientWith(serve).client.items({ PageSize: 10 }));
    expect([items.items.length, items.error]).toEqual([before * 10, expect.any(UnexpectedAnswer)]);
  });

  it('D14 D73 records that were dropped of a partial page are counted', async () => {
    const dropped = 'partial;reason=bad-reply;dropped=1';
    const { client } = clientWith(pagesOf(4, { 1: page(numbered(1, 1), [1, 2, 4], dropped) }));
    expect(await read(client.pages({ PageSize: 2 }))).toMatchObject({ items: [{}, {}], error: undefined });
  });

  it('a record that comes again because another appeared is an error of items, not of pages', async () => {
    const serve = (_: Sent, call: number): Response =>
      call === 1 ? page(numbered(1, 2), [1, 2, 3]) : page(numbered(2, 2), [2, 2, 4]);
    const pages = await read(clientWith(serve).client.pages({ PageSize: 2 }));
    expect([pages.items.map(({ data }) => data.totalCount), pages.error]).toEqual([[3, 4], undefined]);
    const items = await read(clientWith(serve).client.items({ PageSize: 2 }));
    expect(items.error).toBeInstanceOf(ListChanged);
  });

  it('any number of records on pages of any size are read to their end', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 20 }), async (count, PageSize) => {
        const { items, error } = await read(clientWith(pagesOf(count)).client.items({ PageSize }));
        expect([items, error]).toEqual([numbered(1, count), undefined]);
      }),
    ));

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

  it('a record that vanishes between two pages is an error of items', async () => {
    const { client } = clientWith((sent, call) => pagesOf(6 - call)(sent));
    const { items, error } = await read(client.items({ PageSize: 2 }));
    expect([items.length, error]).toEqual([2, expect.any(ListChanged)]);
    expect(error).toMatchObject({
      name: 'ListChanged',
      message: 'totalCount was 5 and is 4 on page 2: records may be missing',
      pageNumber: 2,
      totalCountBefore: 5,
      totalCountNow: 4,
      requestId: 'r-1',
    });
  });
});

interface Stored {
  readonly id: string;
  /** In microseconds: the external system has finer dates than the service. */
  readonly at: number;
}

/** What happens before a page: records come, and others go, by their positions modulo the number of records. */
interface Change {
  readonly come: readonly number[];
  readonly go: readonly number[];
}

const millisecondOf = ({ at }: Stored): number => Math.floor(at / 1000);

/** Records that come and go. Those of the same instant have another order each time. */
class ChangingList {
  readonly everStored: Stored[] = [];
  records: Stored[] = [];
  private pages = 0;

  /** @param excludes whether `FromDate` excludes its own instant */
  constructor(
    instants: readonly number[],
    private readonly changes: readonly Change[] = [],
    private readonly excludes = false,
  ) {
    this.add(instants);
  }

  readonly serve = ({ url }: Sent): Response => {
    const { come, go } = this.changes[this.pages++] ?? { come: [], go: [] };
    for (const position of go) this.records.splice(position % Math.max(1, this.records.length), 1);
    this.add(come);
    const from = Date.parse(url.searchParams.get('FromDate') ?? '0000-01-01T00:00Z');
    const size = Number(url.searchParams.get('PageSize'));
    const found = this.records
      .filter(({ at }) => (this.excludes ? at / 1000 > from : at / 1000 >= from))
      .sort((one, other) => one.at - other.at || this.tie(one) - this.tie(other));
    const dateOf = (record: Stored): string => new Date(millisecondOf(record)).toISOString();
    const items = found.slice(0, size).map((record) => ({ id: record.id, createdDate: dateOf(record) }));
    return page(items, [1, size, found.length]);
  };

  private add(instants: readonly number[]): void {
    for (const at of instants) {
      const stored = { id: `SHP-${this.everStored.length + 1}`, at };
      this.everStored.push(stored);
      this.records.push(stored);
    }
  }

  private tie({ id }: Stored): number {
    return (Number(id.slice(4)) * 7919 * this.pages) % 101;
  }
}

describe('exportItems of a list that changes meanwhile', () => {
  const instant = fc.integer({ min: 0, max: 40_000 });
  const change = fc.record({ come: fc.array(instant, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) });

  it('has every record that stays, once and in order, or an error that says why', async () => {
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

  it('a page that is full of one instant is a CrowdedInstant, after its records', async () => {
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
