import {
  GetShippingPagedListQuery,
  type PagedShippingList,
  type ShippingDetail,
  ShippingStatus,
  StandardProtocol,
} from '../../src';
import type { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { createTestingApp, describeGatewayContract, json } from '../../testing';
import type { TestFunctions } from '../../testing/gateway-contract';
import { wirePage } from '../../testing/upstream/records';
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
    const failures = await failuresOf((functions) => {
      describeGatewayContract({ ...valid, ...changes }, functions);
    });
    expect(failures.filter((name) => !names.test(name))).toEqual([]);
    expect(failures).toHaveLength(count);
  });
});

describe('D85 a protocol that maps wrongly is found', () => {
  /** A protocol that makes something else of the record which a right one finds. */
  function making(change: (body: ShippingDetail) => ShippingDetail | undefined): typeof StandardProtocol {
    return class WrongProtocol extends StandardProtocol {
      override record: StandardProtocol['record'] = async (request, send) => {
        const result = await super.record(request, send);
        return result.body === undefined ? result : { ...result, body: change(result.body) };
      };
    };
  }
  const swapped = ({ shippingAddress, trackingNumber, ...body }: ShippingDetail): ShippingDetail => {
    return { ...body, shippingAddress: trackingNumber, trackingNumber: shippingAddress };
  };

  it.each<[string, (body: ShippingDetail) => ShippingDetail | undefined]>([
    ['a lookup that finds nothing', () => undefined],
    ['address and tracking number swapped', swapped],
    ['a record with one of its items', (body) => ({ ...body, shippingItems: body.shippingItems.slice(0, 1) })],
    ['another record', (body) => ({ ...body, id: 'SHP-9' })],
  ])('%s', async (_, change) => {
    const failures = await failuresOf((functions) => {
      describeGatewayContract({ ...LOOKUP_CONTRACT, protocol: making(change) }, functions);
    });
    expect(failures).toEqual([
      'D17 D85 reads what a valid response means, compressed or after a retry, too',
      'D19 D20 a malformed weight makes the result partial, and all else stays',
    ]);
  });

  it('page 1 for each page', async () => {
    class FirstPageProtocol extends StandardProtocol {
      override page: StandardProtocol['page'] = ({ parameters, ...request }, send) =>
        super.page({ ...request, parameters: { ...parameters, PageNumber: 1 } }, send);
    }
    const ofPage = {
      params: (OrderId: string) => ({ OrderId, PageNumber: 1, PageSize: 10 }),
      fullyValid: wirePage(),
      means: { pageNumber: 1 } as PagedShippingList,
    };
    const contract = { ...LOOKUP_CONTRACT, query: GetShippingPagedListQuery, ...ofPage, protocol: FirstPageProtocol };
    const failures = await failuresOf((functions) => {
      describeGatewayContract(contract, functions);
    });
    expect(failures).toContain('D85 another page is another request, or has other records');
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
