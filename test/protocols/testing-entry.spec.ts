import {
  GetShippingDetailsQuery,
  GetShippingPagedListQuery,
  type PagedShippingList,
  type QueryResult,
  type Send,
  type ShippingLookupItem,
  ShippingStatus,
  StandardProtocol,
  type UpstreamRequest,
} from '../../src';
import type { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { createTestingApp, describeGatewayContract, json } from '../../testing';
import type { TestFunctions } from '../../testing/gateway-contract';
import { mappedRecord, wireList, wirePage, wireRecord } from '../../testing/upstream/records';
import { LOOKUP_CONTRACT } from './lookup-contract';

type Step = () => unknown;

/** Runs the tests that a function describes, and returns the names of those that fail. */
async function failuresOf(describeTests: (functions: TestFunctions) => void): Promise<string[]> {
  const tests: { name: string; run: Step }[] = [];
  const hooks = { beforeAll: [] as Step[], beforeEach: [] as Step[], afterAll: [] as Step[] };
  const it = (name: string, run: Step): unknown => tests.push({ name, run });
  it.each = (rows: readonly unknown[]) => (name: string, run: (...row: unknown[]) => unknown) => {
    for (const row of rows) {
      const cells = Array.isArray(row) ? (row as unknown[]) : [row];
      it(name.replace(/%[js]/, String(cells[0])), () => run(...cells));
    }
  };
  const functions = {
    it,
    expect,
    describe: (_: string, run: Step) => run(),
    beforeAll: (hook: Step) => hooks.beforeAll.push(hook),
    beforeEach: (hook: Step) => hooks.beforeEach.push(hook),
    afterAll: (hook: Step) => hooks.afterAll.push(hook),
  };
  describeTests(functions);
  const failures: string[] = [];
  for (const hook of hooks.beforeAll) await hook();
  for (const { name, run } of tests) {
    for (const hook of hooks.beforeEach) await hook();
    await Promise.resolve().then(run).catch(() => failures.push(name)); // prettier-ignore
  }
  for (const hook of hooks.afterAll) await hook();
  return failures;
}

describe('D85 describeGatewayContract', () => {
  const valid = LOOKUP_CONTRACT;

  /** A protocol whose failures have other members. */
  const failingWith = (members: Partial<UpstreamFailure>): typeof StandardProtocol =>
    class FailingProtocol extends StandardProtocol {
      override record: StandardProtocol['record'] = (request, send) =>
        super.record(request, send).catch((failure: unknown) => {
          throw Object.assign(failure as UpstreamFailure, members);
        });
    };
  const [leaking, renaming] = [failingWith({ message: 'at 127.0.0.1' }), failingWith({ reason: 'internal' })];
  const UNTOLD = { ...valid.means, status: ShippingStatus.Unknown };
  it.each<{ what: string; changes: Partial<typeof valid>; names: RegExp; count: number }>([
    { what: 'nothing of a valid protocol', changes: {}, names: /never/, count: 0 },
    { what: 'another path', changes: { externalPath: '/shippings/{text}' }, names: /^D(16|9) /, count: 7 },
    { what: 'a parameter that is not sent', changes: { textParameter: 'Id' }, names: /^D9 /, count: 6 },
    { what: 'requests for impossible identifiers', changes: { knowsIdentifiers: true }, names: /^D9 /, count: 6 },
    { what: 'values that are not read', changes: { fullyValid: valid.partlyInvalid }, names: /^D17 /, count: 1 },
    { what: 'a sample without a status', changes: { means: UNTOLD }, names: /^D(85|17|19) /, count: 3 },
    { what: 'a malformed value that is read', changes: { partlyInvalid: valid.fullyValid }, names: /^D19 /, count: 1 },
    { what: 'a record where none matches', changes: { noMatch: json(valid.fullyValid) }, names: /^D15 /, count: 1 },
    { what: 'failures with another reason', changes: { protocol: renaming }, names: /^D18 /, count: 11 },
    { what: 'a host in the message of a failure', changes: { protocol: leaking }, names: /^D18 /, count: 11 },
  ])('reports $what', async ({ changes, names, count }) => {
    const failures = await failuresWith('record', changes);
    expect(failures.filter((name) => !names.test(name))).toEqual([]);
    expect(failures).toHaveLength(count);
  });
});

const OTHER = { Id: 'SHP-2', Status: 'delivered', IsDeleted: true };
const OTHER_MEANS = { id: 'SHP-2', status: 'Delivered', statusDescription: 'Delivered', isActive: false };
const HEAVY = { TotalWeight: 'heavy' };
const PAGING = { TotalCount: 5, PageSize: 2, TotalPages: 3, HasNextPage: true };

const LIST_CONTRACT = {
  ...LOOKUP_CONTRACT,
  query: GetShippingDetailsQuery,
  params: (OrderId: string) => ({ OrderId }),
  text: 'ORD-1001',
  externalPath: '/shippings/details',
  textParameter: 'OrderId',
  fullyValid: wireList([wireRecord(), wireRecord(OTHER)]),
  means: [
    mappedRecord({ body: 'list' }),
    mappedRecord({ body: 'list' }, OTHER_MEANS),
  ] as unknown as ShippingLookupItem[],
  partlyInvalid: wireList([wireRecord(HEAVY), wireRecord(OTHER)]),
};

const ofAnother = { ...OTHER, OrderId: 'ORD-2' };
const items = [mappedRecord({ body: 'page' }), mappedRecord({ body: 'page' }, { ...OTHER_MEANS, orderId: 'ORD-2' })];
const paging = { totalCount: 5, pageNumber: 1, pageSize: 2, totalPages: 3, hasPreviousPage: false, hasNextPage: true };
const PAGE_CONTRACT = {
  ...LOOKUP_CONTRACT,
  query: GetShippingPagedListQuery,
  params: (SearchTerm: string) => ({ SearchTerm, PageNumber: 1, PageSize: 2 }),
  text: 'storgatan',
  externalPath: '/shippings/paged',
  textParameter: 'SearchTerm',
  fullyValid: wirePage([wireRecord(), wireRecord(ofAnother)], PAGING),
  means: { items, ...paging } as unknown as PagedShippingList,
  partlyInvalid: wirePage([wireRecord(HEAVY), wireRecord(ofAnother)], PAGING),
};

const CONTRACTS = { record: LOOKUP_CONTRACT, list: LIST_CONTRACT, page: PAGE_CONTRACT } as const;
type Kind = keyof typeof CONTRACTS;

/** The names of the tests that fail for a contract. */
function failuresWith(kind: Kind, changes: object = {}): Promise<string[]> {
  return failuresOf((functions) => {
    describeGatewayContract({ ...CONTRACTS[kind], ...changes } as typeof LOOKUP_CONTRACT, functions);
  });
}

describe('D85 a wrong protocol is found', () => {
  const MAPS = [
    'D17 D85 reads what a valid response means, compressed or after a retry, too',
    'D19 D20 a malformed weight makes the result partial, and all else stays',
  ];
  const [PAGES] = [MAPS.slice(0, 1)];
  const LOSES = ['D83 each parameter that the protocol reads changes what is sent, or which records come'];
  const COPIES = ['D85 no field of a record comes from the request'];

  type Json = Record<string, unknown>;
  interface Mistake {
    readonly kind: Kind;
    readonly what: string;
    readonly red: readonly string[];
    /** What it makes of the body that a right protocol finds, of each record, or of the parameters. */
    readonly body?: (body: Json) => unknown;
    readonly record?: (record: Json, parameters: Json) => object;
    readonly parameters?: (parameters: Json) => object;
  }

  function wrongProtocol({ kind, body, record, parameters }: Mistake): typeof StandardProtocol {
    const changed = (found: Json, asked: Json): unknown => {
      if (body !== undefined) return body(found);
      if (record === undefined) return found;
      if (Array.isArray(found)) return found.map((each: Json) => record(each, asked));
      if (kind === 'record') return record(found, asked);
      return { ...found, items: (found.items as Json[]).map((each) => record(each, asked)) };
    };
    return class WrongProtocol extends StandardProtocol {
      readonly wrong = Object.assign(this, {
        [kind]: async (request: UpstreamRequest, send: Send) => {
          const asked = { ...request.parameters } as Json;
          const sent = { ...request, parameters: parameters?.(asked) ?? asked };
          const right: (...of: [UpstreamRequest, Send]) => Promise<QueryResult<unknown>> =
            StandardProtocol.prototype[kind];
          const result = await right.call(this, sent, send);
          return result.body === undefined ? result : { ...result, body: changed(result.body as never, asked) };
        },
      });
    };
  }

  const swaps =
    (one: string, other: string) =>
    (of: Json): object => ({ ...of, [one]: of[other], [other]: of[one] });
  const sets =
    (changes: Json) =>
    (of: Json): object => ({ ...of, ...changes });
  const swapped = swaps('shippingAddress', 'trackingNumber');
  const without =
    (...names: string[]) =>
    (parameters: Json): object =>
      Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));
  const fewerItems = LOOKUP_CONTRACT.means.shippingItems.slice(1);
  const delivered = { status: ShippingStatus.Delivered, statusDescription: ShippingStatus.Delivered };

  it.each<Mistake>([
    { kind: 'record', what: 'finds nothing', red: MAPS, body: () => undefined },
    { kind: 'record', what: 'swaps fields', red: MAPS, record: swapped },
    { kind: 'record', what: 'leaves an item out', red: MAPS, record: sets({ shippingItems: fewerItems }) },
    { kind: 'record', what: 'finds another', red: MAPS, record: sets({ id: 'SHP-9' }) },
    { kind: 'list', what: 'is empty', red: MAPS, body: () => [] },
    { kind: 'list', what: 'swaps fields', red: MAPS, record: swapped },
    { kind: 'list', what: 'has no deleted records', red: MAPS, record: sets({ isActive: true }) },
    { kind: 'list', what: 'has one status', red: MAPS, record: sets(delivered) },
    { kind: 'list', what: 'copies the order', red: COPIES, record: (of, { OrderId }) => ({ ...of, orderId: OrderId }) },
    { kind: 'list', what: 'loses the limit', red: LOSES, parameters: without('Limit') },
    { kind: 'list', what: 'loses filters', red: LOSES, parameters: without('Status', 'FromDate') },
    { kind: 'page', what: 'has no items', red: MAPS, body: sets({ items: [] }) },
    { kind: 'page', what: 'swaps fields', red: MAPS, record: swapped },
    { kind: 'page', what: 'swaps numbers', red: PAGES, body: swaps('pageNumber', 'totalPages') },
    { kind: 'page', what: 'swaps flags', red: PAGES, body: swaps('hasPreviousPage', 'hasNextPage') },
    { kind: 'page', what: 'counts its items alone', red: PAGES, body: sets({ totalCount: 2 }) },
    { kind: 'page', what: 'never has a next one', red: PAGES, body: sets({ hasNextPage: false }) },
    { kind: 'page', what: 'has one size', red: LOSES, parameters: sets({ PageSize: 10 }) },
    { kind: 'page', what: 'is always the first', red: LOSES, parameters: sets({ PageNumber: 1 }) },
    { kind: 'page', what: 'loses the sorting', red: LOSES, parameters: without('SortBy', 'SortDirection') },
  ])('$kind: $what', async (mistake) => {
    expect(await failuresWith(mistake.kind, { protocol: wrongProtocol(mistake) })).toEqual(mistake.red);
  });

  it.each(['list', 'page'] as const)('and nothing of a valid %s', async (kind) => {
    expect(await failuresWith(kind)).toEqual([]);
  });

  const SAMPLE = ['D85 the sample tells records, items, fields and paging values apart'];
  const PLAIN = wirePage([wireRecord(), wireRecord(ofAnother)], { PageSize: 10 });
  const plain = { ...paging, totalCount: 2, pageSize: 10, totalPages: 1, hasNextPage: false };
  const active = items.map((item) => ({ ...item, isActive: true }));
  const ACTIVE = [wireRecord(), wireRecord({ ...ofAnother, IsDeleted: false })];
  const ofActive = {
    fullyValid: wirePage(ACTIVE, PAGING),
    means: { ...paging, items: active },
    partlyInvalid: wirePage([wireRecord(HEAVY), ...ACTIVE.slice(1)], PAGING),
  };
  it.each<[string, object, readonly string[]]>([
    ['paging values that are alike', { fullyValid: PLAIN, means: { items, ...plain } }, SAMPLE],
    ['records that are alike', ofActive, SAMPLE],
    ['records that are alike in the system, too', { ...ofActive, sameInAll: ['isActive'] }, []],
  ])('a sample with %s', async (_, changes, red) => {
    expect(await failuresWith('page', changes)).toEqual(red);
  });

  it.each(['fullyValid', 'means', 'partlyInvalid', 'noMatch'])('a missing %s is named', (name) => {
    const describeWithout = (): void => {
      describeGatewayContract({ ...LOOKUP_CONTRACT, [name]: undefined });
    };
    expect(describeWithout).toThrow(`describeGatewayContract has no ${name} of GetShippingInfoByIdQuery`);
  });
});

it('D85 createTestingApp by default neither listens nor has an external system', async () => {
  const providers = [{ provide: 'team', useFactory: () => process.env.TEAM }];
  const app = await createTestingApp({ env: { TEAM: 'a' }, imports: [{ module: class {}, providers }] });
  expect([app.getHttpServer().listening, app.get('team')]).toEqual([false, 'a']);
  await app.init();
  const { headers, body } = await app.inject({ url: '/api/Shipping/GetShippingDetails' });
  expect([headers['shipping-completeness'], body]).toEqual(['unavailable;reason=upstream-unreachable', '[]']);
  await app.close();
  expect(process.env).not.toHaveProperty('TEAM');
});
