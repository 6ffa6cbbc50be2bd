import fc from 'fast-check';
import { useScriptedService } from '../../../test/support/service';
import { json } from '../../../test/support/upstream/responses';
import type { Behaviour } from '../../../test/support/upstream/exchange';
import { pagedReply, wireRecord, type WireObject } from '../../../test/support/upstream/records';
import { CrowdedInstant, ListChanged, ShippingClient, UnexpectedAnswer } from '../src/index.ts';

/** Microseconds after the beginning of 2026: the external system has finer dates than the service; `null`: no date. */
type Instant = number | null;
interface Stored {
  readonly id: string;
  readonly at: Instant;
}

const BEGINNING = Date.UTC(2026, 0, 1);
const wireDate = (at: number): string =>
  new Date(BEGINNING + Math.floor(at / 1000)).toISOString().replace('Z', `${String(at % 1000).padStart(3, '0')}Z`);
const millisecondOf = ({ at }: Stored): number | null => at && Math.floor(at / 1000);

/** What happens in the external system between two pages. */
interface Change {
  readonly come: readonly Instant[];
  /** Positions of those that go, modulo the number of records. */
  readonly go: readonly number[];
}

/** The records of an external system that come and go. Those of the same instant have another order each time. */
class ChangingList {
  readonly everStored: Stored[] = [];
  records: Stored[] = [];
  private pages = 0;

  constructor(
    instants: readonly Instant[],
    private readonly changes: readonly Change[] = [],
    private readonly undated: 'first' | 'last' | 'first, whatever FromDate is' = 'first',
    /** Whether `FromDate` excludes its own instant. */
    private readonly excludes = false,
  ) {
    instants.forEach((at) => {
      this.add(at);
    });
  }

  /** Serves a page, after what happened before it. */
  serve(params: URLSearchParams): WireObject {
    const { come, go } = this.changes[this.pages - 1] ?? { come: [], go: [] };
    for (const position of go) this.records.splice(position % Math.max(1, this.records.length), 1);
    for (const at of come) this.add(at);
    this.pages += 1;
    const from = Date.parse(params.get('FromDate') ?? '');
    const matching = this.records
      .filter(({ at }) => Number.isNaN(from) || (at === null ? this.undated.length > 5 : this.isFrom(from, at)))
      .sort((one, other) => this.key(one.at) - this.key(other.at) || this.tie(one) - this.tie(other));
    const PageNumber = Number(params.get('PageNumber'));
    const PageSize = Number(params.get('PageSize'));
    const TotalPages = Math.ceil(matching.length / PageSize);
    const flags = { HasPreviousPage: PageNumber > 1, HasNextPage: PageNumber < TotalPages };
    const shown = matching.slice((PageNumber - 1) * PageSize, PageNumber * PageSize);
    return pagedReply(
      shown.map(({ id, at }) => wireRecord({ Id: id, CreatedDate: at === null ? undefined : wireDate(at) })),
      { TotalCount: matching.length, PageNumber, PageSize, TotalPages, ...flags },
    );
  }

  private isFrom(from: number, at: number): boolean {
    const date = BEGINNING + at / 1000;
    return this.excludes ? date > from : date >= from;
  }

  private add(at: Instant): void {
    const stored = { id: `SHP-${this.everStored.length + 1}`, at };
    this.everStored.push(stored);
    this.records.push(stored);
  }

  private key(at: Instant): number {
    return at ?? (this.undated === 'last' ? Number.MAX_SAFE_INTEGER : -1);
  }

  private tie({ id }: Stored): number {
    return (Number(id.slice(4)) * 7919 * this.pages) % 101;
  }
}

interface Outcome {
  readonly ids: string[];
  readonly error: unknown;
}

async function read(listed: AsyncIterable<{ id: string }>): Promise<Outcome> {
  const ids: string[] = [];
  try {
    for await (const { id } of listed) {
      ids.push(id);
      if (ids.length > 1000) throw new Error('There is no end to it');
    }
    return { ids, error: undefined };
  } catch (error) {
    return { ids, error };
  }
}

const instant = fc.integer({ min: 0, max: 40_000 });
const instants = fc.array(instant, { maxLength: 30 });
const pageSize = fc.integer({ min: 2, max: 9 });
const changes = fc.array(
  fc.record({ come: fc.array(instant, { maxLength: 3 }), go: fc.array(fc.nat(), { maxLength: 3 }) }),
  { maxLength: 12 },
);

describe('lists that change while they are read', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1' });
  const client = (): ShippingClient => new ShippingClient({ baseUrl: scripted.service.url });

  /** The list; whatever `instead` names for the number of a call is done instead. */
  const holds = (list: ChangingList, instead: Readonly<Record<number, Behaviour>> = {}): void => {
    scripted.upstream.reset();
    let calls = 0;
    scripted.upstream.respondWith(({ params }) => instead[++calls] ?? json(list.serve(params)));
  };
  const fromDates = (): (string | null)[] => scripted.upstream.calls.map(({ params }) => params.get('FromDate'));

  it('exportItems: every record that stays, each once, or an error that says why', async () => {
    await fc.assert(
      fc.asyncProperty(instants, changes, pageSize, fc.boolean(), async (initial, changes, PageSize, excludes) => {
        const list = new ChangingList(initial, changes, 'first', excludes);
        const before = [...list.records];
        holds(list);
        const { ids, error } = await read(client().exportItems({ PageSize }));
        expect(new Set(ids).size).toBe(ids.length);
        if (error === undefined) {
          const stayed = before.filter((record) => list.records.includes(record));
          expect(ids).toEqual(expect.arrayContaining(stayed.map(({ id }) => id)));
        } else {
          expect(error).toBeInstanceOf(CrowdedInstant);
          const { createdDate } = error as CrowdedInstant;
          const last = Date.parse(createdDate ?? '') - BEGINNING;
          // Of two milliseconds where the first page of the instant had none of it.
          const sharing = list.everStored.filter((record) => {
            const millisecond = millisecondOf(record) ?? NaN;
            return millisecond === last || millisecond === last - 1;
          });
          expect(sharing.length).toBeGreaterThanOrEqual(PageSize);
        }
        const exported = ids.flatMap((id) => list.everStored.filter((record) => record.id === id));
        const order = exported.map((record) => millisecondOf(record) ?? 0);
        expect(order).toEqual([...order].sort((one, other) => one - other));
      }),
      { numRuns: 100 },
    );
  });

  it('items: one of 250 records vanishes before page 2', async () => {
    const everySecond = Array.from({ length: 250 }, (_, index) => index * 1_000_000);
    const vanishing = [{ come: [], go: [10] }];
    const order = { PageSize: 100, SortBy: 'CreatedDate', SortDirection: 'asc' } as const;
    holds(new ChangingList(everySecond, vanishing));
    const { ids, error } = await read(client().items(order));
    expect([ids.length, error]).toEqual([100, expect.any(ListChanged)]);
    expect(error).toMatchObject({
      name: 'ListChanged',
      message: 'totalCount was 250 and is 249 on page 2: records may be missing',
      pageNumber: 2,
      totalCountBefore: 250,
      totalCountNow: 249,
      requestId: expect.stringMatching(/./),
    });
    holds(new ChangingList(everySecond, vanishing));
    const exported = await read(client().exportItems());
    expect([exported.ids.length, exported.error]).toEqual([250, undefined]);
  });

  it('exportItems: a page that is full of one instant is a CrowdedInstant, after its records', async () => {
    holds(new ChangingList([5_000, 7_000, 7_001, 7_999, 9_000]));
    const { ids, error } = await read(client().exportItems({ PageSize: 3 }));
    expect([ids.length, error]).toEqual([4, expect.any(CrowdedInstant)]);
    expect(error).toMatchObject({ createdDate: '2026-01-01T00:00:00.007Z', count: 3, message: expect.any(String) });
    holds(new ChangingList([5_000, 7_000, 7_001, 7_999, 9_000]));
    expect(await read(client().exportItems({ PageSize: 4 }))).toMatchObject({ ids: { length: 5 }, error: undefined });
  });

  const at = (second: number): WireObject =>
    wireRecord({ Id: `SHP-${second}`, CreatedDate: `2026-01-01T00:00:0${second}.000Z` });
  it.each([
    ['does not sort', [[at(2), at(1)]], 0],
    [
      'ignores FromDate',
      [
        [at(1), at(2)],
        [at(1), at(2)],
      ],
      2,
    ],
    ['shows fewer records than it counts, and no others after them', [[at(1)], [at(1)]], 1],
  ])('exportItems: an external system that %s is an UnexpectedAnswer', async (name, pages, before) => {
    const isShort = name.startsWith('shows');
    const figures = { TotalCount: 9, TotalPages: isShort ? 1 : 5, HasNextPage: !isShort };
    const replies = pages.map((records, index) => [index + 1, json(pagedReply(records, figures))] as const);
    holds(new ChangingList([]), Object.fromEntries(replies));
    const { ids, error } = await read(client().exportItems());
    expect([ids.length, error]).toEqual([before, expect.any(UnexpectedAnswer)]);
    expect(fromDates()).toHaveLength(pages.length);
  });
});
