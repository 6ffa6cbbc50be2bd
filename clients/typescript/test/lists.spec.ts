import fc from 'fast-check';
import '../../../test/support/silent-nest';
import { startSandbox } from '../../../src/sandbox/start-sandbox';
import { RunningService } from '../../../test/support/service';
import { CrowdedInstant, IncompleteList, ListChanged, ShippingClient, UnexpectedAnswer } from '../src/index.ts';
import { answeredBy, complete, page, read, type Sent } from './support/answers.ts';

/** Answers with a page of these records, or with what stands for its number. */
const pagesOf =
  (count: number, instead: Readonly<Record<number, Response>> = {}) =>
  ({ url }: Sent): Response => {
    const pageNumber = Number(url.searchParams.get('PageNumber'));
    const pageSize = Number(url.searchParams.get('PageSize'));
    const ids = Array.from({ length: count }, (_, index) => ({ id: `SHP-${index + 1}` }));
    const items = ids.slice((pageNumber - 1) * pageSize, pageNumber * pageSize);
    return instead[pageNumber] ?? page(items, [pageNumber, pageSize, count]);
  };

it.each([
  {},
  { SearchTerm: 'berlin' },
  { FromDate: '2025-06-01', ToDate: '2026-01-31' },
  { SearchTerm: 'no such place' },
])('D14 D29 %j: pages, items and the export have every record once', async (filter) => {
  const sandbox = await startSandbox({ port: 0, records: 300, variant: 'extended' });
  const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url });
  const client = new ShippingClient({ baseUrl: service.url });
  const items = await read(client.items({ ...filter, PageSize: 7 }));
  const pages = await read(client.pages({ ...filter, PageSize: 7 }));
  const exported = await read(client.exportItems({ ...filter, PageSize: 20 }));
  const listed = await client.getShippingDetails({ ...filter, Limit: 1000 });
  await service.close();
  await sandbox.stop();
  expect(pages.items.flatMap(({ data }) => data.items)).toEqual(items.items);
  expect(pages.items.map(({ data }) => data.pageNumber)).toEqual(pages.items.map((_, index) => index + 1));
  const ids = (records: readonly { id: string }[]): string[] => records.map(({ id }) => id).sort();
  expect([ids(items.items), ids(exported.items)]).toEqual([ids(listed.data), ids(listed.data)]);
  expect([items.error, pages.error, exported.error]).toEqual([undefined, undefined, undefined]);
});

describe('pages and items', () => {
  it('D20 a page that is unavailable is an error that names the page, never an end', async () => {
    const empty = page([], [2, 2, 0], 'unavailable;reason=upstream-error');
    const { items, error } = await read(answeredBy(pagesOf(5, { 2: empty })).client.items({ PageSize: 2 }));
    expect(items).toEqual([{ id: 'SHP-1' }, { id: 'SHP-2' }]);
    expect(error).toBeInstanceOf(IncompleteList);
    const completeness = { level: 'unavailable', reason: 'upstream-error' };
    expect(error).toMatchObject({ name: 'IncompleteList', pageNumber: 2, completeness, requestId: 'r-1' });
  });

  it('D20 a partial page is one of pages, and an error of items', async () => {
    const partial = (): Response => page([{ id: 'SHP-1' }], [1, 2, 4], 'partial;reason=bad-reply');
    const pages = await read(answeredBy(pagesOf(4, { 1: partial() })).client.pages({ PageSize: 2 }));
    expect(pages.items.map(({ completeness }) => completeness.level)).toEqual(['partial', 'complete']);
    const items = await read(answeredBy(pagesOf(4, { 1: partial() })).client.items({ PageSize: 2 }));
    expect(items).toMatchObject({ items: [], error: { pageNumber: 1, completeness: { level: 'partial' } } });
  });

  it.each([
    ['always shows the first page', { pageNumber: 1, hasNextPage: true }, 1],
    ['has no next page before the last', { pageNumber: 1, hasNextPage: false }, 0],
    ['has a next page after the last', { pageNumber: 1, totalPages: 1, hasNextPage: true }, 0],
  ])('D14 a service that %s is an error, neither an end nor endless', async (_, values, before) => {
    const { client } = answeredBy(() => complete({ items: [], totalCount: 9, totalPages: 9, ...values }));
    const { items, error } = await read(client.pages());
    expect([items.length, error]).toEqual([before, expect.any(UnexpectedAnswer)]);
  });

  it('an aborted signal ends it between two pages', async () => {
    const { client, sent } = answeredBy(pagesOf(50));
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
    const { items, error } = await read(
      answeredBy((sent, call) => pagesOf(6 - call)(sent)).client.items({ PageSize: 2 }),
    );
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
    const items = found.slice(0, size).map((record) => ({
      id: record.id,
      createdDate: new Date(millisecondOf(record)).toISOString(),
    }));
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
    await fc.assert(
      fc.asyncProperty(instants, fc.array(change, { maxLength: 12 }), pageSize, fc.boolean(), async (initial, changes, PageSize, excludes) => {
        const list = new ChangingList(initial, changes, excludes);
        const before = [...list.records];
        const { items, error } = await read(answeredBy(list.serve).client.exportItems({ PageSize }));
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
  }); // prettier-ignore

  it('a page that is full of one instant is a CrowdedInstant, after its records', async () => {
    const { serve } = new ChangingList([5_000, 7_000, 7_001, 7_999, 9_000]);
    const { items, error } = await read(answeredBy(serve).client.exportItems({ PageSize: 3 }));
    expect([items.length, error]).toEqual([4, expect.any(CrowdedInstant)]);
    expect(error).toMatchObject({ createdDate: '1970-01-01T00:00:00.007Z', count: 3, requestId: 'r-1' });
  });

  const [first, second] = [1, 2].map((day) => ({ id: `SHP-${day}`, createdDate: `2026-01-0${day}T00:00:00.000Z` }));
  it.each([
    ['does not sort', [page([second, first] as object[], [1, 2, 9])], 0],
    ['ignores FromDate', [1, 2].map(() => page([first, second] as object[], [1, 2, 9])), 2],
    ['shows fewer records than it counts', [1, 2].map(() => page([first] as object[], [1, 9, 9])), 1],
  ])('a service that %s is an UnexpectedAnswer', async (_, pages, before) => {
    const { client, sent } = answeredBy((_sent, call) => pages[call - 1] ?? Response.error());
    const { items, error } = await read(client.exportItems());
    expect([items.length, error, sent.length]).toEqual([before, expect.any(UnexpectedAnswer), pages.length]);
  });
});
