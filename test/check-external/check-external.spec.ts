import { ShipEngineSystem } from '../../examples/shipengine/shipengine-system';
import { startSandbox } from '../../src/sandbox/start-sandbox';
import { checkExternalSystem, type CheckOptions, type Report, type RuleReport } from '../../tools/check-external/check';
import { TABLE } from '../../tools/check-external/table';
import { refusedUrl } from '../support/free-port';
import { PATIENT } from '../support/service';
import { respond, TokenServer } from '../support/token-server';
import { RECORDS, type UpstreamResponse, useBrokenSystem } from './broken-system';
import { emptyList, FAULTS, field, recordsIn, replace, response, statusWords } from './faults';
import { REMARKS } from './remarks';

const VALUES = RECORDS.flatMap((record) => [record.Id, record.OrderId, record.TrackingNumber, record.ShippingAddress]);

const broken = useBrokenSystem();

function check(
  url = broken().upstream.url,
  env: NodeJS.ProcessEnv = {},
  options: Partial<CheckOptions> = {},
): Promise<Report> {
  const sleep = (): Promise<void> => Promise.resolve();
  return checkExternalSystem({ env: { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url, ...env }, sleep, ...options });
}

const checkWith = (protocol: string): Promise<Report> => check(undefined, {}, { protocol });

const rulesWith = ({ rules }: Report, result: string): string[] =>
  rules.filter((rule) => rule.result === result).map(({ rule }) => rule);

const ruleOf = ({ rules }: Report, name: string): unknown => rules.find(({ rule }) => rule === name);
const refuse = (sent: UpstreamResponse): unknown => replace(sent, 500, {});

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

  it.each(FAULTS)('$name', async ({ fails, fault, env }) => {
    broken().fault = fault;
    const report = await check(undefined, env);
    // Records that the service drops, because they do not fit the request, are invalid values besides.
    const failed = rulesWith(report, 'fail').filter((rule) => fails.includes(rule) || !rule.endsWith('-values'));
    expect(failed.sort()).toEqual([...fails].sort());
    expect(valuesIn(report)).toEqual([]);
    expect(new Set(broken().upstream.calls.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(report.calls).toBeLessThanOrEqual(100);
  });

  describe('a system that', () => {
    let valid: readonly RuleReport[] = [];
    beforeAll(async () => {
      valid = (await check()).rules;
    });

    it.each(REMARKS)('$name breaks a rule, or gets a remark', async ({ rules, fault }) => {
      broken().fault = fault;
      const isKnown = ({ rule, detail }: RuleReport): boolean =>
        valid.some((own) => own.rule === rule && own.detail === detail);
      const noticed = (await check()).rules.filter((each) => each.result !== 'cannot tell' && !isKnown(each));
      expect(noticed.map(({ rule }) => rule)).toEqual(expect.arrayContaining([...rules]));
    });
  });

  it('has a fault for every rule, each after those it needs', () => {
    const rules = TABLE.map(([rule]) => rule);
    const named = [...FAULTS.flatMap(({ fails }) => fails), ...REMARKS.flatMap((row) => row.rules)];
    expect(rules.filter((rule) => !named.includes(rule))).toEqual([]);
    for (const [index, [, , , needs]] of TABLE.entries()) {
      expect(['', ...rules.slice(0, index)]).toEqual(expect.arrayContaining(needs.split(' ')));
    }
  });

  const PAUSE = 'The external system limits requests: repeat the check with a longer --pause';
  it.each([
    ['refuses', 400, expect.any(String)],
    ['limits requests with', 429, PAUSE],
  ])('cannot tell one rule where the system %s special characters', async (_, status, detail: unknown) => {
    broken().fault = { response: (sent, { id }) => /[^\w-]/.test(id) && replace(sent, status, {}) };
    const undecided = (await check()).rules.filter(({ result }) => result === 'cannot tell');
    expect(undecided).toEqual([expect.objectContaining({ rule: 'by-id-encoding', detail })]);
  });

  it('D57 a time-out of special characters is no refusal', async () => {
    broken().fault = { response: (sent, { id }) => /[^\w-]/.test(id) && replace(sent, 408, {}) };
    expect(ruleOf(await check(), 'by-id-encoding')).toMatchObject({ result: 'fail' });
  });

  it('says which list failed where no record is known for that', async () => {
    broken().fault = { response: (sent, { operation }) => (operation === 'paged' ? emptyList : refuse)(sent) };
    const detail = 'See the rule details-body first, or name a record with --id';
    expect(ruleOf(await check(), 'by-id-body')).toMatchObject({ result: 'cannot tell', detail });
  });

  it('D35 sends the credential, looks up the records, and pauses', async () => {
    let paused = 0;
    const sleep = (ms: number): Promise<void> => Promise.resolve(void (paused += ms));
    const samples = { id: RECORDS[0]?.Id, orderId: RECORDS[1]?.OrderId ?? '' };
    const { requests } = await check(undefined, { EXTERNAL_SHIPPING_TOKEN: 't0ken' }, { pauseMs: 5, sleep, samples });
    expect(broken().upstream.calls.every(({ headers }) => headers.authorization === 'Bearer t0ken')).toBe(true);
    const targets = [`/shippings/by-id/${samples.id}`, `/shippings/single?OrderId=${samples.orderId}`];
    expect(broken().upstream.calls.map(({ target }) => target)).toEqual(expect.arrayContaining(targets));
    expect([requests, paused]).toEqual([broken().upstream.calls.length, 5 * (broken().upstream.calls.length - 1)]);
  });

  it('D81 names the fields of invalid values', async () => {
    broken().fault = field('details', 'TotalWeight', '31.5 kg');
    const detail = expect.stringMatching(/^In \d+ of \d+ responses: (.+, )?TotalWeight: text/);
    expect(ruleOf(await check(), 'details-values')).toMatchObject({ result: 'fail', detail });
  });

  it('D81 names unknown status words, and logs as the service does', async () => {
    broken().fault = statusWords('paged', {
      in_transit: 'awaiting_pickup',
      In_Transit: 'held: a@b.example',
      delivered: 'awaiting_pickup',
    });
    const report = await check();
    const share = /^\d+ of \d+ records have no status that can be read$/;
    expect(ruleOf(report, 'status-words')).toMatchObject({ detail: expect.stringMatching(share) });
    expect(report.log).toContainEqual(expect.stringContaining("Status: unknown word 'awaiting_pickup'"));
    expect(JSON.stringify(report)).not.toContain('a@b.example');
    broken().fault = field('details', 'TotalWeight', '31.5 kg');
    const sentence = /^The external system sends malformed values: details: TotalWeight: text/;
    expect((await check()).log).toContainEqual(expect.stringMatching(sentence));
  });

  it('D17 shows names that are not read, but none that may be data', async () => {
    const more = { Colour: 1, 'SHP-000001': 1, 'a@b.example, Storgatan 5': 1, ['x'.repeat(99)]: 1 };
    broken().fault = response('paged', ({ body }) => recordsIn(body).map((record) => Object.assign(record, more)));
    const detail = 'Not read: Colour, 3 more';
    expect(ruleOf(await check(), 'paged-fields')).toMatchObject({ result: 'pass', detail });
  });

  it('D36 names the fields that a protocol leaves out', async () => {
    broken().fault = field('paged', 'CreatedBy', undefined);
    const report = await checkWith('test/check-external/counting.protocol.ts');
    const found = { result: 'cannot tell', detail: 'Left out: createdBy' };
    expect(ruleOf(report, 'paged-fields')).toMatchObject(found);
  });

  it('names --pause where the system limits requests', async () => {
    broken().fault = { response: (sent, { number }) => number > 6 && replace(sent, 429, {}) };
    const { rules, isLimited } = await check();
    expect(rules).toContainEqual(expect.objectContaining({ result: 'cannot tell', detail: PAUSE }));
    expect([isLimited, rules.filter(({ result }) => result === 'fail')]).toEqual([true, []]);
  });

  it.each([
    [429, { 'Retry-After': '7' }, [7000], 3],
    [429, {}, [1000], 3],
    [429, { 'Retry-After': '86400' }, [60_000], 3],
    [503, {}, [], 3],
    [401, {}, [], 3],
    [403, {}, [], 3],
  ])('does not begin where all is %d with %j, and waits once', async (status, headers, waits, most) => {
    const slept: number[] = [];
    const sleep = (ms: number): Promise<void> => Promise.resolve(void slept.push(ms));
    broken().fault = { response: (sent) => Object.assign(replace(sent, status, {}) as object, { headers }) };
    const refused = `The external system refuses all requests: status ${status}`;
    await expect(check(undefined, {}, { sleep })).rejects.toThrow(status === 429 ? 'status 429' : refused);
    expect(slept.slice(0, 1)).toEqual(waits);
    expect(broken().upstream.calls.length).toBeLessThanOrEqual(most + 1);
  });

  it('D21 pauses from the first limit on, and decides all rules', async () => {
    let paused = 0;
    const sleep = (ms: number): Promise<void> => Promise.resolve(void (paused += ms));
    broken().fault = { response: (sent, { number }) => number === 7 && replace(sent, 429, {}) };
    const { rules, isLimited } = await check(undefined, {}, { sleep });
    expect([isLimited, rules.filter(({ result }) => result !== 'pass')]).toEqual([false, []]);
    expect(paused).toBeGreaterThanOrEqual(1000 * (broken().upstream.calls.length - 8));
  });

  it('D36 the shipped example passes', async () => {
    const shipEngine = await ShipEngineSystem.start();
    const protocol = 'examples/shipengine/shipengine.protocol.ts';
    const report = await check(shipEngine.url, {}, { protocol });
    await shipEngine.stop();
    expect(report.rules.filter(({ result }) => result === 'fail')).toEqual([]);
    const detail = 'The protocol does not sort by Status';
    expect(ruleOf(report, 'sort-status')).toMatchObject({ result: 'cannot tell', detail });
  });

  it('D9 looks up no identifier that would change the path', async () => {
    broken().fault = field('paged', 'Id', '..');
    expect(rulesWith(await check(), 'fail')).toContain('identifiers');
    expect(broken().upstream.calls.filter(({ target }) => /\.\.($|\?)/.test(target))).toEqual([]);
  });

  it('D36 checks a named protocol, and names its errors', async () => {
    const counting = await checkWith('test/check-external/counting.protocol.ts');
    expect(rulesWith(counting, 'fail')).toEqual([]);
    expect([counting.protocol, counting.requests > counting.calls]).toEqual(['CountingProtocol', true]);
    const faulty = await checkWith('test/check-external/faulty.protocol.ts');
    const fault = { result: 'fail', detail: 'FaultyProtocol.record threw RangeError' };
    expect(ruleOf(faulty, 'by-id-body')).toMatchObject(fault);
    expect(valuesIn(faulty)).toEqual([]);
  });

  it('D85 knows the class of a protocol by its methods', async () => {
    const foreign = await checkWith('test/check-external/foreign.protocol.js');
    expect(foreign).toMatchObject({ protocol: 'ForeignProtocol', requests: 0 });
  });

  const CREATION = "Nest can't resolve dependencies of the NeedyProtocol";
  it.each([
    ['has no protocol', 'src/common/text.ts', 'no class that extends ShippingProtocol'],
    ['does not exist', 'none.ts', 'The file of --protocol cannot be loaded: Cannot find module'],
    ['needs what nobody has', 'test/check-external/needy.protocol.ts', CREATION],
  ])('does not begin where the module of --protocol %s', async (_, protocol, message) => {
    await expect(checkWith(protocol)).rejects.toThrow(message);
  });

  it('does not begin where nothing listens', async () => {
    const message = 'The external system does not respond: no connection: ECONNREFUSED';
    await expect(check(await refusedUrl())).rejects.toThrow(message);
  });

  it('D35 does not begin without an access token', async () => {
    const tokens = await TokenServer.start();
    tokens.misbehaviour = respond(401, { error: 'invalid_client' });
    await expect(check(undefined, tokens.env)).rejects.toThrow('status 401 (invalid_client)');
    expect(broken().upstream.calls).toEqual([]);
    await tokens.close();
  });
});
