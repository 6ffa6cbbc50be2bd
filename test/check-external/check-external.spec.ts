import '../support/silent-nest';
import { generateRecords } from '../../src/sandbox/record-generator';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox';
import type { ShippingRecord } from '../../src/sandbox/records';
import {
  ALL_RULES,
  checkExternalSystem,
  MAX_CALLS,
  type CheckOptions,
  type Report,
} from '../../tools/check-external/check';
import { unknownLike } from '../../tools/check-external/samples';
import { respond, TokenServer } from '../support/token-server';
import { refusedUrl } from '../support/upstream/refused-url';
import { BrokenSystem } from './broken-system';
import { emptyList, FAULTS, replace } from './faults';
import { PATIENT } from '../support/patient';

const RECORDS = generateRecords(300);

function check(url: string, env: NodeJS.ProcessEnv = {}, options: Partial<CheckOptions> = {}): Promise<Report> {
  return checkExternalSystem({ env: { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url, ...env }, ...options });
}

/** The broken rules, with what was found. */
function failures({ rules }: Report): string[] {
  return rules.filter(({ result }) => result === 'fail').map(({ id, detail }) => `${id}: ${String(detail)}`);
}

const undecidedIds = ({ rules }: Report): string[] =>
  rules.filter(({ result }) => result === 'cannot tell').map(({ id }) => id);

const failedIds = (report: Report): string[] =>
  failures(report)
    .map((failure) => failure.split(':')[0] ?? '')
    .sort();

/** Ids, orders, tracking numbers and addresses that occur in a text. */
function valuesIn(text: string): string[] {
  return RECORDS.flatMap(({ Id, OrderId, TrackingNumber, ShippingAddress }) =>
    [Id, OrderId, TrackingNumber, ShippingAddress].filter((value) => value !== null && text.includes(value)),
  ) as string[];
}

async function withSandbox<T>(
  records: readonly ShippingRecord[],
  variant: 'extended' | 'basic',
  use: (sandbox: RunningSandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ port: 0, records, variant });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.stop();
  }
}

describe('the check of an external system', () => {
  it.each(['extended', 'basic'] as const)('D29 passes the %s sandbox', async (variant) => {
    const report = await withSandbox(RECORDS, variant, ({ url }) => check(url));
    expect(failures(report)).toEqual([]);
    const undecided = undecidedIds(report);
    expect(undecided).toEqual(variant === 'basic' ? ['limit-default', 'known-statuses'] : ['known-statuses']);
    expect(report.calls).toBeLessThanOrEqual(MAX_CALLS);
    expect(report).toMatchObject({
      failed: 0,
      passed: ALL_RULES.length - undecided.length,
      protocol: 'StandardProtocol',
    });
  });

  it('D36 counts calls, of which each may need several requests', async () => {
    const protocol = 'test/check-external/counting.protocol.ts';
    const report = await withSandbox(RECORDS, 'extended', ({ url }) => check(url, {}, { protocol }));
    expect(failures(report)).toEqual([]);
    expect(undecidedIds(report)).toEqual(['known-statuses']);
    expect(report.requests).toBe(2 * report.calls);
    expect(report.requests).toBeGreaterThan(MAX_CALLS);
  });

  it.each([60, 500, 5000])('decides every rule over %i records', async (count) => {
    const report = await withSandbox(generateRecords(count), 'extended', ({ url }) => check(url));
    expect(failures(report)).toEqual([]);
    expect(undecidedIds(report)).toEqual(['known-statuses']);
  });

  it('decides about pages of one record, and of an order that fills a page', async () => {
    const one = await withSandbox(RECORDS.slice(0, 1), 'extended', ({ url }) => check(url));
    expect(undecidedIds(one)).not.toEqual(expect.arrayContaining(['page-values']));
    const records = RECORDS.map((record) => ({ ...record, OrderId: 'ORD-1' }));
    const large = await withSandbox(records, 'extended', ({ url }) => check(url));
    expect(failures(large)).toEqual([]);
    expect(undecidedIds(large)).toEqual(['known-statuses']);
  });

  it('passes no rule about successful responses where there is none', async () => {
    const { rules } = await withSandbox(RECORDS, 'extended', ({ url }) => check(`${url}/wrong`));
    const passed = rules.filter(({ result }) => result === 'pass').map(({ id }) => id);
    expect(passed).toEqual(['no-redirects', 'response-time']);
  });

  it.each([
    ['O-3', 'O-9999999'],
    ['SHP-000001', 'SHP-999999999999'],
    [undefined, 'none-999999'],
  ])('looks %s up as unknown by a reference that no short number reaches', (reference, unknown) => {
    expect(unknownLike(reference)).toBe(unknown);
  });

  it.each([0, 1, 2, 3, 5, 11])('breaks no rule over %i records, and says what data would be needed', async (count) => {
    for (const variant of ['extended', 'basic'] as const) {
      const report = await withSandbox(RECORDS.slice(0, count), variant, ({ url }) => check(url));
      expect(failures(report)).toEqual([]);
      for (const { result, advice } of report.rules) if (result === 'cannot tell') expect(advice).toMatch(/\w/);
    }
  });
});

describe('the check of a broken system', () => {
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

  it('passes it while nothing is broken', async () => {
    system.break({});
    expect(failures(await check(system.url))).toEqual([]);
  });

  it.each(FAULTS)('$name: $fails', async ({ fault, fails, env }) => {
    system.break(fault);
    const report = await check(system.url, env);
    expect({ failed: failedIds(report), found: failures(report) }).toEqual({
      failed: [...fails].sort(),
      found: expect.anything(),
    });
    expect(report.rules.filter(({ result, advice }) => result !== 'pass' && !advice)).toEqual([]);
    expect(valuesIn(JSON.stringify(report))).toEqual([]);
    expect(new Set(system.received.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(report.calls).toBeLessThanOrEqual(MAX_CALLS);
  });

  it('has a fault for every rule that can be broken', () => {
    const broken = new Set(FAULTS.flatMap(({ fails }) => fails));
    const breakable = ALL_RULES.filter(({ isHint }) => !isHint).map(({ id }) => id);
    expect(breakable.filter((id) => !broken.has(id))).toEqual([]);
    expect([...broken].filter((id) => !breakable.includes(id))).toEqual([]);
  });

  it('needs only rules that come before', () => {
    const ids = ALL_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, { needs = [] }] of ALL_RULES.entries()) expect(ids.slice(0, index)).toEqual(expect.arrayContaining([...needs])); // prettier-ignore
  });

  it('cannot tell where the system refuses special characters', async () => {
    system.break({
      reply: (sent, { operation, id }) => {
        if (operation === 'by-id' && /[^\w-]/.test(id)) Object.assign(sent, { status: 400, body: {} });
      },
    });
    const report = await check(system.url);
    expect(failures(report)).toEqual([]);
    expect(report.rules.find(({ id }) => id === 'by-id-encoding')).toMatchObject({ result: 'cannot tell' });
  });

  it('sends no more calls than it may', async () => {
    system.break({});
    const report = await check(system.url, {}, { maxCalls: 30 });
    expect(system.received).toHaveLength(30);
    expect(report).toMatchObject({ calls: 30, requests: 30 });
    expect(failures(report)).toEqual([]);
    expect(report.rules.filter(({ detail }) => detail === 'The check sends 30 calls at most')).not.toEqual([]);
  });

  it('D35 sends the configured credentials', async () => {
    system.break({});
    await check(system.url, { EXTERNAL_SHIPPING_TOKEN: 't0ken' });
    expect(system.received.every(({ headers }) => headers.authorization === 'Bearer t0ken')).toBe(true); // prettier-ignore
  });

  it('uses the samples that are given', async () => {
    system.break({});
    const [{ Id: id, OrderId: orderId, TrackingNumber: trackingNumber }] = RECORDS as [
      ShippingRecord & { TrackingNumber: string },
    ];
    await check(system.url, {}, { samples: { id, orderId, trackingNumber } });
    const targets = system.received.map(({ url }) => url);
    expect(targets).toContain(`/shippings/by-id/${id}`);
    expect(targets).toContain(`/shippings/single?OrderId=${orderId}`);
    expect(targets).toContain(`/shippings/single?TrackingNumber=${trackingNumber}`);
  });

  it('does not begin with the identifier of one record and the tracking number of another', async () => {
    system.break({});
    const [one, other] = RECORDS.filter(({ TrackingNumber }) => TrackingNumber !== null);
    const samples = { id: one?.Id, trackingNumber: other?.TrackingNumber ?? undefined };
    await expect(check(system.url, {}, { samples })).rejects.toThrow(
      'The record of --id has another TrackingNumber than --tracking: name one record',
    );
    expect(system.received).toHaveLength(2);
  });

  it.each([
    ['paged', ['paged', 'details'], 'The paged list failed: see the rule paged-body first'],
    ['unpaged', ['details'], 'The unpaged list failed: see the rule details-body first'],
  ])('says that the %s list failed where no record is known for that', async (_, failing, advice) => {
    system.break({
      reply: (sent, { operation }) => {
        if (operation === 'paged') emptyList(sent);
        if (failing.includes(operation)) replace(sent, 500, {});
      },
    });
    const { rules } = await check(system.url);
    const adviceOf = (id: string): string | undefined => rules.find((rule) => rule.id === id)?.advice;
    expect(['single-body', 'by-id-body'].map(adviceOf)).toEqual(
      Array(2).fill(`${advice}, or name a record with --id.`),
    );
    expect(['identifiers', 'known-statuses'].map(adviceOf)).toEqual(Array(2).fill(`${advice}.`));
    // An empty list has no fields.
    const others = rules.filter(({ id }) => id !== 'paged-fields');
    expect(others.filter((rule) => rule.advice?.startsWith('Needs a record'))).toEqual([]);
  });

  it('D36 names an error of a protocol without its message', async () => {
    system.break({});
    const report = await check(system.url, {}, { protocol: 'test/check-external/faulty.protocol.ts' });
    expect(failures(report)).toContain('by-id-body: The protocol threw RangeError');
    expect(valuesIn(JSON.stringify(report))).toEqual([]);
  });

  it('D9 looks up no identifier that would change the path', async () => {
    const records = RECORDS.slice(0, 3).map((record, index) => ({ ...record, Id: ['..', '.', 'A'][index] ?? '' }));
    const report = await withSandbox(records, 'basic', async ({ url }) => {
      const proxy = await BrokenSystem.start(url);
      const found = await check(proxy.url);
      expect(proxy.received.filter(({ url: target = '' }) => /\/\.{1,2}($|\?)/.test(target))).toEqual([]);
      expect(proxy.received.map(({ url: target }) => target)).toContain('/shippings/by-id/A');
      await proxy.close();
      return found;
    });
    expect(failedIds(report)).toEqual(['identifiers']);
  });

  it.each([
    ['refuses the secret', respond(401, { error: 'invalid_client' }), 'status 401 (invalid_client)'],
    ['issues no token', respond(200, {}), 'no bearer token in the response'],
  ])('D35 does not begin where the token endpoint %s', async (_, misbehaviour, complaint) => {
    system.break({});
    const tokens = await TokenServer.start();
    tokens.misbehaviour = misbehaviour;
    const [url] = tokens.url.split('?');
    await expect(check(system.url, tokens.env)).rejects.toThrow(
      `The token endpoint ${String(url)} issues no access token: ${complaint}`,
    );
    expect(system.received).toEqual([]);
    await tokens.close();
  });

  it('does not begin where nothing listens', async () => {
    await expect(check(await refusedUrl())).rejects.toThrow('The external system is unreachable: ECONNREFUSED');
  });

  it('does not begin without a protocol in the module', async () => {
    const protocol = 'examples/shipengine/shipengine-system.ts';
    await expect(check(system.url, {}, { protocol })).rejects.toThrow('no class that extends ShippingProtocol');
  });
});
