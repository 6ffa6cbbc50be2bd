import '../support/silent-nest';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox';
import { generateRecords, type ShippingRecord } from '../../src/sandbox/records';
import { checkExternalSystem, type CheckOptions, type Report } from '../../tools/check-external/check';
import { TABLE } from '../../tools/check-external/table';
import { PATIENT } from '../support/patient';
import { respond, TokenServer } from '../support/token-server';
import { refusedUrl } from '../support/upstream/refused-url';
import { BrokenSystem } from './broken-system';
import { emptyList, FAULTS, replace } from './faults';

const RECORDS = generateRecords(300);

function check(url: string, env: NodeJS.ProcessEnv = {}, options: Partial<CheckOptions> = {}): Promise<Report> {
  return checkExternalSystem({ env: { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url, ...env }, ...options });
}

const rulesWith = ({ rules }: Report, result: string): string[] =>
  rules.filter((rule) => rule.result === result).map(({ rule }) => rule);

/** Ids, orders, tracking numbers and addresses that occur in a text. */
function valuesIn(text: string): unknown[] {
  const values = RECORDS.flatMap((record) => [
    record.Id,
    record.OrderId,
    record.TrackingNumber,
    record.ShippingAddress,
  ]);
  return values.filter((value) => value !== null && text.includes(value));
}

describe('the check of an external system', () => {
  let sandbox: RunningSandbox;
  let system: BrokenSystem;

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
    system = await BrokenSystem.start(sandbox.url);
  });
  afterAll(async () => {
    await system.close();
    await sandbox.stop();
  });
  beforeEach(() => {
    system.break({});
  });

  it.each([
    [0, 'extended'],
    [1, 'basic'],
    [3, 'extended'],
    [11, 'basic'],
    [300, 'basic'],
    [5000, 'extended'],
  ] as const)('D29 breaks no rule over %i records of the %s sandbox', async (count, variant) => {
    const other = await startSandbox({ port: 0, records: generateRecords(count), variant });
    const report = await check(other.url);
    await other.stop();
    expect(rulesWith(report, 'fail')).toEqual([]);
    if (count >= 300) expect(rulesWith(report, 'pass')).toHaveLength(TABLE.length);
    for (const { result, detail } of report.rules) if (result !== 'pass') expect(detail).toMatch(/\w/);
  });

  it.each(FAULTS.map(([name, ...row]) => ({ name, row })))('$name', async ({ row: [fails, fault, env] }) => {
    system.break(fault);
    const report = await check(system.url, env);
    expect(rulesWith(report, 'fail').sort()).toEqual([...fails].sort());
    expect(valuesIn(JSON.stringify(report))).toEqual([]);
    expect(new Set(system.received.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(report.calls).toBeLessThanOrEqual(100);
  });

  it('has a fault for every rule, and each rule needs only rules that come before', () => {
    const rules = TABLE.map(([rule]) => rule);
    expect([...new Set(FAULTS.flatMap(([, fails]) => fails))].sort()).toEqual([...rules].sort());
    for (const [index, [, , , needs]] of TABLE.entries()) {
      expect(['', ...rules.slice(0, index)]).toEqual(expect.arrayContaining(needs.split(' ')));
    }
  });

  it('cannot tell where the system refuses special characters', async () => {
    system.break({
      reply: (sent, { operation, id }) => {
        if (operation === 'by-id' && /[^\w-]/.test(id)) replace(sent, 400, {});
      },
    });
    expect(rulesWith(await check(system.url), 'cannot tell')).toEqual(['by-id-encoding']);
  });

  it('says which list failed where no record is known for that', async () => {
    system.break({
      reply: (sent, { operation }) => {
        if (operation === 'paged') emptyList(sent);
        if (operation === 'details') replace(sent, 500, {});
      },
    });
    const { rules } = await check(system.url);
    const detail = 'See the rule details-body first, or name a record with --id';
    expect(rules.find(({ rule }) => rule === 'by-id-body')).toMatchObject({ result: 'cannot tell', detail });
  });

  it('D35 sends the configured credentials, and pauses between requests', async () => {
    let pauses = 0;
    const pause = (): Promise<void> => Promise.resolve(void (pauses += 1));
    const { requests } = await check(system.url, { EXTERNAL_SHIPPING_TOKEN: 't0ken' }, { pause });
    expect(system.received.every(({ headers }) => headers.authorization === 'Bearer t0ken')).toBe(true);
    expect([requests, pauses]).toEqual([system.received.length, system.received.length - 1]);
  });

  it('uses the samples that are given', async () => {
    const [{ Id: id, OrderId: orderId }] = RECORDS as [ShippingRecord];
    await check(system.url, {}, { samples: { id, orderId } });
    const targets = system.received.map(({ url }) => url);
    expect(targets).toContain(`/shippings/by-id/${id}`);
    expect(targets).toContain(`/shippings/single?OrderId=${orderId}`);
  });

  it('D9 looks up no identifier that would change the path', async () => {
    const records = RECORDS.slice(0, 3).map((record, index) => ({ ...record, Id: ['..', '.', 'A'][index] ?? '' }));
    const other = await startSandbox({ port: 0, records, variant: 'basic' });
    const proxy = await BrokenSystem.start(other.url);
    expect(rulesWith(await check(proxy.url), 'fail')).toEqual(['identifiers']);
    const targets = proxy.received.map(({ url }) => url ?? '');
    expect(targets.filter((target) => /\/\.{1,2}($|\?)/.test(target))).toEqual([]);
    expect(targets).toContain('/shippings/by-id/A');
    await proxy.close();
    await other.stop();
  });

  it('D36 checks a named protocol, which may need several requests for a call', async () => {
    const report = await check(system.url, {}, { protocol: 'test/check-external/counting.protocol.ts' });
    expect(rulesWith(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({ protocol: 'CountingProtocol', requests: 2 * report.calls });
  });

  it('D36 names an error of a protocol without its message', async () => {
    const report = await check(system.url, {}, { protocol: 'test/check-external/faulty.protocol.ts' });
    const detail = 'The protocol threw RangeError';
    expect(report.rules.find(({ rule }) => rule === 'by-id-body')).toMatchObject({ result: 'fail', detail });
    expect(valuesIn(JSON.stringify(report))).toEqual([]);
  });

  it.each([
    ['nothing listens', refusedUrl, {}, 'The external system does not respond: There is no connection'],
    ['a module has no protocol', () => system.url, { protocol: 'src/shipping/model/sorting.ts' }, 'no class that extends ShippingProtocol'], // prettier-ignore
    ['a module does not exist', () => system.url, { protocol: 'none.ts' }, 'The module of --protocol cannot be loaded: Cannot find module'], // prettier-ignore
    ['a protocol cannot be created', () => system.url, { protocol: 'test/check-external/needy.protocol.ts' }, "The application cannot be created: Nest can't resolve dependencies"], // prettier-ignore
  ])('does not begin where %s', async (_, url, options, message) => {
    await expect(Promise.resolve(url()).then((target) => check(target, {}, options))).rejects.toThrow(message);
  });

  it('D35 does not begin without an access token', async () => {
    const tokens = await TokenServer.start();
    tokens.misbehaviour = respond(401, { error: 'invalid_client' });
    await expect(check(system.url, tokens.env)).rejects.toThrow('does not respond: status 401 (invalid_client)');
    expect(system.received).toEqual([]);
    await tokens.close();
  });
});
