import '../../../test/support/silent-nest';
import { startSandbox, type RunningSandbox } from '../../../src/sandbox/start-sandbox';
import { RunningService, startScriptedService, type ScriptedService } from '../../../test/support/service';
import { json, status } from '../../../test/support/upstream/responses';
import type { Behaviour } from '../../../test/support/upstream/exchange';
import { pagedReply, wireRecord, wireRecords } from '../../../test/support/upstream/records';
import { IncompleteList, ShippingClient, ShippingProblem, UnexpectedAnswer } from '../src/index.ts';

/** Reads to the end; fails where there is none. */
async function all<Item>(listed: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of listed) {
    items.push(item);
    if (items.length > 10_000) throw new Error('There is no end to it');
  }
  return items;
}

/** What was handed over before the end, and the error that was the end. */
async function untilError<Item>(listed: AsyncIterable<Item>): Promise<{ items: Item[]; error: unknown }> {
  const items: Item[] = [];
  try {
    for await (const item of listed) items.push(item);
  } catch (error) {
    return { items, error };
  }
  throw new Error('It ended as if it were complete');
}

describe('pages and items on the sandbox', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;
  let client: ShippingClient;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: 300, variant: 'extended' });
    service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url });
    client = new ShippingClient({ baseUrl: service.url });
  });
  afterAll(async () => {
    await service.close();
    await sandbox.stop();
  });

  it.each([
    {},
    { SearchTerm: 'berlin' },
    { Status: 'Unknown' },
    { FromDate: '2025-06-01', ToDate: '2026-01-31', SortBy: 'TrackingNumber', SortDirection: 'asc' },
    { OrderId: 'ORD-000001' },
    { SearchTerm: 'no such place' },
  ] as const)('D14, D29 %j: every record once, in order, and nothing else', async (filter) => {
    const items = await all(client.items({ ...filter, PageSize: 7 }));
    const pages = await all(client.pages({ ...filter, PageSize: 7 }));
    expect(pages.flatMap(({ data }) => data.items)).toEqual(items);
    expect(pages.map(({ data }) => data.pageNumber)).toEqual(pages.map((_, index) => index + 1));
    expect(pages.every(({ completeness }) => completeness.level === 'complete')).toBe(true);

    const { SearchTerm, Status, OrderId, FromDate, ToDate }: Parameters<ShippingClient['pages']>[0] & object = filter;
    const listed = await client.getShippingDetails({ SearchTerm, Status, OrderId, FromDate, ToDate, Limit: 1000 });
    expect(items.map(({ id }) => id).sort()).toEqual(listed.data.map(({ id }) => id).sort());
    expect(pages[0]?.data.totalCount).toBe(items.length);
    const exported = await all(client.exportItems({ SearchTerm, Status, OrderId, FromDate, ToDate, PageSize: 20 }));
    expect(exported.map(({ id }) => id).sort()).toEqual(items.map(({ id }) => id).sort());
    if ('SortBy' in filter) {
      const numbers = items.map(({ trackingNumber }) => trackingNumber ?? '');
      expect(numbers).toEqual([...numbers].sort());
    }
  });
});

describe('pages and items on an external system that fails', () => {
  let scripted: ScriptedService;
  let client: ShippingClient;

  beforeAll(async () => {
    // The circuit would open for the many failures of these tests.
    scripted = await startScriptedService({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1',
    });
    client = new ShippingClient({ baseUrl: scripted.service.url });
  });
  afterAll(() => scripted.close());
  beforeEach(() => {
    scripted.upstream.reset();
  });

  /** Records on pages; whatever `odd` names for a page number is done instead. */
  const has = (count: number, odd: Record<number, Behaviour> = {}): void => {
    const records = wireRecords(count);
    scripted.upstream.respondWith(({ params }) => {
      const PageNumber = Number(params.get('PageNumber'));
      const PageSize = Number(params.get('PageSize'));
      const TotalPages = Math.ceil(count / PageSize);
      const figures = { PageNumber, PageSize, TotalCount: count, TotalPages };
      const flags = { HasPreviousPage: PageNumber > 1, HasNextPage: PageNumber < TotalPages };
      const page = records.slice((PageNumber - 1) * PageSize, PageNumber * PageSize);
      return odd[PageNumber] ?? json(pagedReply(page, { ...figures, ...flags }));
    });
  };
  const pageNumbersAsked = (): number[] =>
    scripted.upstream.calls.map(({ params }) => Number(params.get('PageNumber')));

  it('D20 a page that is unavailable is an error that names the page, never an end', async () => {
    has(5, { 2: status(500) });
    const { items, error } = await untilError(client.items({ PageSize: 2 }));
    expect(items.map(({ id }) => id)).toEqual(['SHP-1', 'SHP-2']);
    expect(error).toBeInstanceOf(IncompleteList);
    expect(error).toMatchObject({
      name: 'IncompleteList',
      pageNumber: 2,
      completeness: { level: 'unavailable', reason: 'upstream-error' },
      requestId: expect.stringMatching(/./),
    });
  });

  it('D21 a strict client gets the problem', async () => {
    has(5, { 2: status(500) });
    const { items, error } = await untilError(client.pages({ PageSize: 2 }, { strict: true }));
    expect(items).toHaveLength(1);
    expect(error).toBeInstanceOf(ShippingProblem);
    expect(error).toMatchObject({ status: 502, reason: 'upstream-error' });
  });

  describe('D19, D20 a partial page', () => {
    beforeEach(() => {
      const figures = { TotalCount: 4, TotalPages: 2, PageSize: 2, PageNumber: 1, HasNextPage: true };
      has(4, { 1: json(pagedReply([wireRecord(), 'odd'], figures)) });
    });

    it('of pages says so and goes on', async () => {
      const pages = await all(client.pages({ PageSize: 2 }));
      expect(pages.map(({ completeness, data }) => [completeness.level, data.items.length])).toEqual([
        ['partial', 1],
        ['complete', 2],
      ]);
    });

    it('of items is an error', async () => {
      const { items, error } = await untilError(client.items({ PageSize: 2 }));
      expect([items, error]).toEqual([[], expect.any(IncompleteList)]);
      expect(error).toMatchObject({ pageNumber: 1, completeness: { level: 'partial', reason: 'bad-reply' } });
    });
  });

  it.each([
    ['always shows the first page', { PageNumber: 1, TotalPages: 9, HasNextPage: true }, 1],
    ['has no next page before the last', { PageNumber: 1, TotalPages: 9, HasNextPage: false }, 0],
  ])('D14 an external system that %s is an error, neither an end nor endless', async (_, figures, pagesBefore) => {
    scripted.upstream.respondWith(json(pagedReply(undefined, figures)));
    const { items, error } = await untilError(client.pages());
    expect([items.length, error]).toEqual([pagesBefore, expect.any(UnexpectedAnswer)]);
  });

  it('an aborted signal ends it between two pages', async () => {
    has(50);
    const controller = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { data } of client.pages({ PageSize: 5 }, { signal: controller.signal })) {
        seen.push(data.pageNumber);
        if (data.pageNumber === 3) controller.abort('enough');
      }
    })();
    await expect(reading).rejects.toBe('enough');
    expect([seen, pageNumbersAsked()]).toEqual([[1, 2, 3], [1, 2, 3]]); // prettier-ignore
  });
});
