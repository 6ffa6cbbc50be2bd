import { completenessOf } from './support/expectations';
import { readSettings } from '../src/config/settings';
import { guide } from '../src/shipping/documentation/guide.docs';
import { DETAIL_EXAMPLE, LOOKUP_EXAMPLE, PAGE_EXAMPLE } from '../src/shipping/documentation/sandbox-records.docs';
import { FAILURE_SWITCHES } from '../src/sandbox/failure-switches';
import { startSandbox, type RunningSandbox } from '../src/sandbox/sandbox.server';
import { useMonotonicClock } from './support/monotonic-clock';
import { RunningService } from './support/service';

const GUIDE = guide(readSettings({}));
const RECORDS = 150;
/** The circuit breaker forgets older calls. */
const BREAKER_WINDOW_MS = 11_000;

interface Page {
  readonly items: { id: string; status: string; createdDate: string; isActive: boolean }[];
  readonly totalCount: number;
  readonly totalPages: number;
}

describe.each(['extended', 'basic'] as const)('the service on the %s sandbox', (variant) => {
  let sandbox: RunningSandbox;
  let service: RunningService;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: RECORDS, variant });
    service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url });
  });
  afterAll(async () => {
    await service.close();
    await sandbox.close();
  });

  /** Follows `rel="next"` from the first page to the last. */
  async function walk(query: string): Promise<{ ids: string[]; totals: Set<number>; pages: number }> {
    const ids: string[] = [];
    const totals = new Set<number>();
    let pages = 0;
    for (
      let target: string | undefined = `/api/Shipping/GetShippingPagedList?PageSize=20&${query}`;
      target;
      pages += 1
    ) {
      const answer = await service.get(target);
      expect([answer.status, answer.headers['shipping-completeness']]).toEqual([200, 'complete']);
      const page = answer.json() as Page;
      ids.push(...page.items.map(({ id }) => id));
      totals.add(page.totalCount);
      target = /<([^>]+)>; rel="next"/.exec(String(answer.headers.link))?.[1];
    }
    return { ids, totals, pages };
  }

  const filters = [
    '',
    'Status=Unknown',
    'SearchTerm=berlin',
    'OrderId=ORD-000001',
    'FromDate=2025-06-01&ToDate=2026-01-31',
  ];
  const sorts = ['', 'SortBy=Status&SortDirection=asc', 'SortBy=TrackingNumber'];

  it.each(filters)('D29 spec: walking all pages of "%s" meets every record once, whatever the sort', async (filter) => {
    const list = await service.request(`GetShippingDetails?${filter}&Limit=100000`);
    const all = (list.json() as { id: string }[]).map(({ id }) => id).sort();
    for (const sort of sorts) {
      const { ids, totals } = await walk(`${filter}&${sort}`);
      expect([...totals]).toEqual([all.length]);
      expect(ids.toSorted()).toEqual(all);
    }
  });

  it('D29 soft-deleted records are left out of lists by the extended variant alone', async () => {
    const list = (await service.request('GetShippingDetails?Limit=100000')).json() as {
      id: string;
      isActive: boolean;
    }[];
    expect(list.length === RECORDS).toBe(variant === 'basic');
    expect(list.every(({ isActive }) => isActive)).toBe(variant === 'extended');
    const listed = new Set(list.map(({ id }) => id));
    for (let number = 1; number <= RECORDS; number += 1) {
      const id = `SHP-${String(number).padStart(6, '0')}`;
      const { body } = await service.request(`GetShippingInfoById/${id}`);
      expect(JSON.parse(body)).toMatchObject({
        id,
        isActive: variant === 'basic' ? expect.any(Boolean) : listed.has(id),
      });
    }
  });

  it('D29 limit: at most 100 unpaged results where Limit is absent, in the extended variant alone', async () => {
    const list = (await service.request('GetShippingDetails')).json() as unknown[];
    expect(list).toHaveLength(variant === 'extended' ? 100 : RECORDS);
  });

  it('D29 the newest shipping of an order, then the smallest identifier, is the single one', async () => {
    const { items } = (await service.request('GetShippingPagedList?OrderId=ORD-000001')).json() as Page;
    expect(items.length).toBeGreaterThan(1);
    expect((await service.request('GetShippingSingle?OrderId=ORD-000001')).json()).toMatchObject({ id: items[0]?.id });
  });
});

describe('D30 the failure switches, through the service', () => {
  const clock = useMonotonicClock();
  let sandbox: RunningSandbox;
  let service: RunningService;
  let impatient: RunningService;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: 20, variant: 'extended' });
    const env = { EXTERNAL_SHIPPING_BASE_URL: sandbox.url, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
    service = await RunningService.start(env);
    impatient = await RunningService.start({ ...env, EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200' });
  });
  beforeEach(() => {
    clock.advance(BREAKER_WINDOW_MS);
  });
  afterAll(async () => {
    await service.close();
    await impatient.close();
    await sandbox.close();
  });

  const REASONS: Readonly<Record<string, string>> = {
    'SIMULATE-500': 'upstream-error',
    'SIMULATE-503': 'upstream-error',
    'SIMULATE-TIMEOUT': 'upstream-timeout',
    'SIMULATE-RESET': 'upstream-unreachable',
    'SIMULATE-BAD-JSON': 'bad-reply',
    'SIMULATE-BAD-SHAPE': 'bad-reply',
    'SIMULATE-CIRCUIT-OPEN': 'upstream-error',
  };
  const requests = (value: string): { lists: string[]; singles: string[] } => ({
    lists: [`GetShippingDetails?SearchTerm=${value}`, `GetShippingPagedList?OrderId=${value}`],
    singles: [
      `GetShippingInfoById/${value}`,
      ...['Id', 'OrderId', 'TrackingNumber'].map((name) => `GetShippingSingle?${name}=${value}`),
    ],
  });

  it.each(Object.entries(REASONS))('D30 %s is seen as %s', async (value, reason) => {
    expect(FAILURE_SWITCHES).toContain(value);
    const { lists, singles } = requests(value);
    const ask = (request: string) => (reason === 'upstream-timeout' ? impatient : service).request(request);
    await Promise.all([
      ...lists.map(async (request) => {
        const answer = await ask(request);
        expect([answer.status, completenessOf(answer)]).toEqual([200, `unavailable;reason=${reason}`]);
      }),
      ...singles.map(async (request) => {
        const answer = await ask(request);
        expect([answer.status, answer.json()]).toMatchObject([500, { code: 'external-system-failed', reason }]);
      }),
    ]);
  });

  it('D30 SIMULATE-ODD-RECORD leads to partial responses', async () => {
    const { lists, singles } = requests('SIMULATE-ODD-RECORD');
    for (const request of [...lists, ...singles]) {
      const answer = await service.request(request);
      expect([answer.status, completenessOf(answer)]).toEqual([200, 'partial;reason=bad-reply']);
    }
  });
});

/** The identifier that the guide of the Swagger page gives as an example of a soft-deleted record. */
const [, SOFT_DELETED = ''] = /GetShippingInfoById\/([\w-]+)\) is soft-deleted/.exec(GUIDE) ?? [];

describe('the examples of the document', () => {
  let sandbox: RunningSandbox;
  let service: RunningService;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: 2000, variant: 'extended' });
    service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url });
  });
  afterAll(async () => {
    await service.close();
    await sandbox.close();
  });

  it.each([
    ['GetShippingInfoById/SHP-000001', DETAIL_EXAMPLE],
    ['GetShippingSingle?OrderId=ORD-000001', DETAIL_EXAMPLE],
    ['GetShippingDetails?Limit=1', LOOKUP_EXAMPLE],
    ['GetShippingPagedList?PageSize=1', PAGE_EXAMPLE],
  ])('are what the sandbox answers to %s', async (request, example) => {
    expect((await service.request(request)).json()).toEqual(example);
  });

  it('D29 the soft-deleted example of the guide is found by its identifier, and in no list', async () => {
    expect((await service.request(`GetShippingInfoById/${SOFT_DELETED}`)).json()).toMatchObject({ isActive: false });
    const list = (await service.request('GetShippingDetails?Limit=2000')).json() as { id: string }[];
    expect(list.map(({ id }) => id)).not.toContain(SOFT_DELETED);
  });

  it('the guide gives the number of records', async () => {
    const { totalCount } = (await service.request('GetShippingPagedList')).json() as Page;
    expect(GUIDE).toContain(`${totalCount.toLocaleString('en')} of them`);
  });

  it.each(['GetShippingSingle', 'GetShippingInfoById/{id}', 'GetShippingDetails', 'GetShippingPagedList'])(
    'of the parameters of %s find something together, as the Swagger page sends them',
    async (path) => {
      const document = (await service.get('/openapi.json')).json();
      const parameters = document.paths[`/api/Shipping/${path}`].get.parameters as {
        in: string;
        name: string;
        schema: { example?: string | number };
      }[];
      let request = path;
      const query = new URLSearchParams();
      for (const { in: place, name, schema } of parameters) {
        if (schema.example === undefined) continue;
        if (place === 'path') request = request.replace(`{${name}}`, String(schema.example));
        if (place === 'query') query.set(name, String(schema.example));
      }
      const answer = await service.request(`${request}?${query.toString()}`);
      expect([answer.status, answer.headers['shipping-completeness']]).toEqual([
        200,
        expect.stringMatching(/^complete(;limit=20)?$/),
      ]);
      expect(answer.body).toContain('SHP-000001');
    },
  );
});
