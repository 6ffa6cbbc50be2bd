import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ShipEngineSystem } from '../../examples/shipengine/shipengine-system';
import { readSettings, type Settings } from '../../src/config/settings';
import { generateRecords } from '../../src/sandbox/records';
import { startSandbox } from '../../src/sandbox/start-sandbox';
import { checkExternalSystem, type CheckOptions, type Report } from '../../tools/check-external/check';
import type { CheckedSystem } from '../../tools/check-external/checked-system';
import { speed } from '../../tools/check-external/contents';
import { TABLE } from '../../tools/check-external/table';
import { PATIENT } from '../support/operations';
import { respond, TokenServer } from '../support/token-server';
import { refusedUrl } from '../support/upstream/refused-url';
import { BrokenSystem, type UpstreamResponse } from './broken-system';
import { emptyList, FAULTS, field, recordsIn, replace, response, statusWords } from './faults';
import { noticedRows } from './noticed-rows';

const RECORDS = generateRecords(300);
const VALUES = RECORDS.flatMap((record) => [record.Id, record.OrderId, record.TrackingNumber, record.ShippingAddress]);

let sandbox: NestFastifyApplication;
let system: BrokenSystem;

beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, records: RECORDS, variant: 'extended' });
  system = await BrokenSystem.start(await sandbox.getUrl());
});
afterAll(async () => {
  await system.upstream.close();
  await sandbox.close();
});
beforeEach(() => {
  system.fault = {};
  system.upstream.calls = [];
});

function check(url: string, env: NodeJS.ProcessEnv = {}, options: Partial<CheckOptions> = {}): Promise<Report> {
  return checkExternalSystem({ env: { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url, ...env }, ...options });
}

const rulesWith = ({ rules }: Report, result: string): string[] =>
  rules.filter((rule) => rule.result === result).map(({ rule }) => rule);

const ruleOf = ({ rules }: Report, name: string): unknown => rules.find(({ rule }) => rule === name);
const refuse = (sent: UpstreamResponse): unknown => replace(sent, 500, {});

const callsOf = (call: object, settings: Settings): CheckedSystem =>
  ({ calls: [call], parts: { settings } }) as unknown as CheckedSystem;

const valuesIn = (report: Report): unknown[] =>
  VALUES.filter((value) => value !== null && JSON.stringify(report.rules).includes(value));

describe('the check of an external system', () => {
  it.each([0, 1, 3, 11, 301, 5000])('D29 breaks no rule over %i records of the sandbox', async (records) => {
    const variant = records % 2 === 0 ? 'extended' : 'basic';
    const other = await startSandbox({ port: 0, records, variant });
    const report = await check(await other.getUrl());
    await other.close();
    expect(rulesWith(report, 'fail')).toEqual([]);
    if (records >= 300) expect(rulesWith(report, 'pass')).toHaveLength(TABLE.length);
    for (const { result, detail } of report.rules) if (result !== 'pass') expect(detail).toMatch(/\w/);
  });

  it.each(FAULTS.map(([name, ...row]) => ({ name, row })))('$name', async ({ row: [fails, fault, env] }) => {
    system.fault = fault;
    const report = await check(system.upstream.url, env);
    // Records that the service drops, because they do not fit the request, are invalid values besides.
    const failed = rulesWith(report, 'fail').filter((rule) => fails.includes(rule) || !rule.endsWith('-values'));
    expect(failed.sort()).toEqual([...fails].sort());
    expect(valuesIn(report)).toEqual([]);
    expect(new Set(system.upstream.calls.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(report.calls).toBeLessThanOrEqual(100);
  });

  it('has a fault for every rule, and each rule needs only rules that come before', () => {
    const rules = TABLE.map(([rule]) => rule);
    const named = [...FAULTS.flatMap(([, fails]) => fails), ...noticedRows().flatMap(({ codes }) => codes)];
    expect(rules.filter((rule) => !named.includes(rule))).toEqual(['speed']);
    for (const [index, [, , , needs]] of TABLE.entries()) {
      expect(['', ...rules.slice(0, index)]).toEqual(expect.arrayContaining(needs.split(' ')));
    }
  });

  const PAUSE = 'The external system limits requests: repeat the check with --pause 1000';
  it.each([
    ['refuses', 400, expect.any(String)],
    ['limits requests with', 429, PAUSE],
  ])('cannot tell one rule where the system %s special characters', async (_, status, detail: unknown) => {
    system.fault = { response: (sent, { id }) => /[^\w-]/.test(id) && replace(sent, status, {}) };
    const undecided = (await check(system.upstream.url)).rules.filter(({ result }) => result === 'cannot tell');
    expect(undecided).toEqual([expect.objectContaining({ rule: 'by-id-encoding', detail })]);
  });

  it('says which list failed where no record is known for that', async () => {
    system.fault = { response: (sent, { operation }) => (operation === 'paged' ? emptyList : refuse)(sent) };
    const detail = 'See the rule details-body first, or name a record with --id';
    expect(ruleOf(await check(system.upstream.url), 'by-id-body')).toMatchObject({ result: 'cannot tell', detail });
  });

  it('D35 sends the configured credentials, looks up the given records, and pauses between requests', async () => {
    let pauses = 0;
    const pause = (): Promise<void> => Promise.resolve(void (pauses += 1));
    const samples = { id: RECORDS[0]?.Id, orderId: RECORDS[1]?.OrderId ?? '' };
    const { requests } = await check(system.upstream.url, { EXTERNAL_SHIPPING_TOKEN: 't0ken' }, { pause, samples });
    expect(system.upstream.calls.every(({ headers }) => headers.authorization === 'Bearer t0ken')).toBe(true);
    const targets = [`/shippings/by-id/${samples.id}`, `/shippings/single?OrderId=${samples.orderId}`];
    expect(system.upstream.calls.map(({ target }) => target)).toEqual(expect.arrayContaining(targets));
    expect([requests, pauses]).toEqual([system.upstream.calls.length, system.upstream.calls.length - 1]);
  });

  it('D81 names the fields of invalid values', async () => {
    system.fault = field('details', 'TotalWeight', '31.5 kg');
    const detail = expect.stringMatching(/^In \d+ of \d+ responses: TotalWeight: text$/);
    expect(ruleOf(await check(system.upstream.url), 'details-values')).toMatchObject({ result: 'fail', detail });
  });

  it('D81 names the status words that are not known, with the share of records, and logs what the service logs', async () => {
    system.fault = statusWords('paged', {
      in_transit: 'on_hold',
      In_Transit: 'held: a@b.example',
      delivered: 'on_hold',
    });
    const report = await check(system.upstream.url);
    const words = /^\d+ of \d+ records have no status that can be read: .*"on_hold"/;
    expect(ruleOf(report, 'status-words')).toMatchObject({ detail: expect.stringMatching(words) });
    expect(JSON.stringify(report.rules)).not.toContain('a@b.example');
    system.fault = field('details', 'TotalWeight', '31.5 kg');
    const sentence = /^The external system sends malformed values: details: TotalWeight: text/;
    expect((await check(system.upstream.url)).log).toContainEqual(expect.stringMatching(sentence));
  });

  it('remarks that a system is slow, where one that is twice as slow would time out', () => {
    const settings = readSettings({ EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '2000' });
    const after = (ms: number): unknown => speed(callsOf({ ms, requests: 2 }, settings));
    expect([after(2000), after(2100)]).toEqual([undefined, 'The slowest response took 1050 of 2000 ms']);
  });

  it('D17 shows names that the service does not read, but none that may be data', async () => {
    const more = { Carrier: 1, 'SHP-000001': 1, 'a@b.example, Storgatan 5': 1, ['x'.repeat(99)]: 1 };
    system.fault = response('paged', ({ body }) => recordsIn(body).map((record) => Object.assign(record, more)));
    const detail = 'Not read: Carrier, 3 more';
    expect(ruleOf(await check(system.upstream.url), 'paged-fields')).toMatchObject({ result: 'pass', detail });
  });

  it('D36 names the fields that a protocol leaves out, by their names in our responses', async () => {
    system.fault = field('paged', 'CreatedBy', undefined);
    const report = await check(system.upstream.url, {}, { protocol: 'test/check-external/counting.protocol.ts' });
    const found = { result: 'cannot tell', detail: 'Left out: createdBy' };
    expect(ruleOf(report, 'paged-fields')).toMatchObject(found);
  });

  it('names --pause where the system limits requests', async () => {
    system.fault = { response: (sent, { number }) => number > 6 && replace(sent, 429, {}) };
    const { rules } = await check(system.upstream.url);
    expect(rules).toContainEqual(expect.objectContaining({ result: 'cannot tell', detail: PAUSE }));
    expect(rules.filter(({ result }) => result === 'fail')).toEqual([]);
  });

  it('D36 fails nothing that connecting.md prescribes: the shipped example passes', async () => {
    const shipEngine = await ShipEngineSystem.start();
    const protocol = 'examples/shipengine/shipengine.protocol.ts';
    const report = await check(shipEngine.url, {}, { protocol });
    await shipEngine.stop();
    expect(report.rules.filter(({ result }) => result === 'fail')).toEqual([]);
    const detail = expect.stringContaining('sorts by CreatedDate desc, as it should');
    expect(ruleOf(report, 'sort-status')).toMatchObject({ result: 'cannot tell', detail });
  });

  it('D9 looks up no identifier that would change the path', async () => {
    system.fault = field('paged', 'Id', '..');
    expect(rulesWith(await check(system.upstream.url), 'fail')).toContain('identifiers');
    expect(system.upstream.calls.filter(({ target }) => /\.\.($|\?)/.test(target))).toEqual([]);
  });

  it('D36 checks a named protocol, which may need several requests for a call, and names its errors without values', async () => {
    const counting = await check(system.upstream.url, {}, { protocol: 'test/check-external/counting.protocol.ts' });
    expect(rulesWith(counting, 'fail')).toEqual([]);
    expect([counting.protocol, counting.requests > counting.calls]).toEqual(['CountingProtocol', true]);
    const faulty = await check(system.upstream.url, {}, { protocol: 'test/check-external/faulty.protocol.ts' });
    const fault = { result: 'fail', detail: 'FaultyProtocol.record threw RangeError' };
    expect(ruleOf(faulty, 'by-id-body')).toMatchObject(fault);
    expect(valuesIn(faulty)).toEqual([]);
  });

  it('D85 knows the class of a protocol by its methods, not by the copy of the package that it extends', async () => {
    const { protocol, requests } = await check(
      system.upstream.url,
      {},
      { protocol: 'test/check-external/foreign.protocol.js' },
    );
    expect([protocol, requests]).toEqual(['ForeignProtocol', 0]);
  });

  const CREATION = "The application cannot be created: Nest can't resolve dependencies";
  it.each([
    ['has no protocol', 'src/common/text.ts', 'no class that extends ShippingProtocol'],
    ['does not exist', 'none.ts', 'The file of --protocol cannot be loaded: Cannot find module'],
    ['needs what nobody has', 'test/check-external/needy.protocol.ts', CREATION],
  ])('does not begin where the module of --protocol %s', async (_, protocol, message) => {
    await expect(check(system.upstream.url, {}, { protocol })).rejects.toThrow(message);
  });

  it('does not begin where nothing listens', async () => {
    const message = 'The external system does not respond: no connection: ECONNREFUSED';
    await expect(check(await refusedUrl())).rejects.toThrow(message);
  });

  it('D35 does not begin without an access token', async () => {
    const tokens = await TokenServer.start();
    tokens.misbehaviour = respond(401, { error: 'invalid_client' });
    await expect(check(system.upstream.url, tokens.env)).rejects.toThrow('status 401 (invalid_client)');
    expect(system.upstream.calls).toEqual([]);
    await tokens.close();
  });
});
