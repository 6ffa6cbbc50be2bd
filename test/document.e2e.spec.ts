import * as fc from 'fast-check';
import {
  type GivenParameter,
  hostileParameters,
  OPERATION_PATHS,
  requestOf,
  validParameters,
} from './support/described-requests';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { CATALOGUE } from './support/upstream/catalogue';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, wireItem, wireRecord, type WireObject } from './support/upstream/records';

/** Requests to each operation, of each kind. */
const RUNS = 60;
/** Operations that need no criterion; every other one needs at least one that identifies. */
const OTHERS = ['GetShippingInfoById/{id}', 'GetShippingDetails', 'GetShippingPagedList'].map(
  (name) => `/api/Shipping/${name}`,
);
const YEAR_1 = Date.UTC(1, 0, 1) - Date.UTC(1901, 0, 1) + Date.parse('0001-01-01T00:00:00Z');
const YEAR_10000 = Date.UTC(10_000, 0, 1);

/** Answers that cost little: of those that never end, and of those that are huge, other suites tell. */
const COSTLY = /deep|bomb|oversized|huge|endless|delayed|drips/i;
const FAULTS = [...CATALOGUE].filter(([name]) => !COSTLY.test(name));

/** An object whose fields are sound, or anything that JSON can hold. */
function odd(object: WireObject): fc.Arbitrary<WireObject> {
  const fields = Object.entries(object).map(([name, value]) => [
    name,
    fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
}

const records = fc.array(fc.oneof({ weight: 5, arbitrary: odd(wireRecord()) }, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }); // prettier-ignore
const oddReply = fc
  .record({
    record: odd(wireRecord()),
    ShippingItems: fc.array(odd(wireItem()), { maxLength: 3 }),
    Items: records,
    figures: odd({ TotalCount: 5, PageNumber: 2, PageSize: 2, TotalPages: 3, HasPreviousPage: true, HasNextPage: true }),
  })
  .map(({ record, ShippingItems, Items, figures }) => anyReply({ ...record, ShippingItems, Items, ShippingDetails: Items, ...figures })); // prettier-ignore

/** What the external system does: mostly it replies, soundly or oddly. */
const replies: fc.Arbitrary<() => Behaviour> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(() => json()) },
  { weight: 4, arbitrary: oddReply.map((reply) => () => json(reply)) },
  { weight: 2, arbitrary: fc.constantFrom(...FAULTS).map(([name, make]) => Object.assign(make, { toString: () => name })) }, // prettier-ignore
);

const given = (parameters: readonly GivenParameter[], wanted: string): string | undefined =>
  parameters.find(({ name }) => name === wanted)?.value;

/** The instant that a date of a request means; one without a time covers its day, as the end of a range does. */
function instantOf(text: string, time: string): number {
  const full = text.length === 10 ? `${text}T${time}` : text;
  const instant = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(full) ? full : `${full}Z`);
  if (Number.isNaN(instant)) throw new Error(`${text} is documented as a date`);
  return instant;
}

/** What the document says in words, because no schema of a single parameter can. */
function obeysTheWords(path: string, parameters: readonly GivenParameter[]): boolean {
  const identifies = ['Id', 'OrderId', 'TrackingNumber'].some((name) => /[^ \t]/.test(given(parameters, name) ?? ''));
  if (!OTHERS.includes(path) && !identifies) return false;
  const [from, to] = ['FromDate', 'ToDate'].map((name) => given(parameters, name));
  const start = from === undefined ? undefined : instantOf(from, '00:00:00Z');
  const end = to === undefined ? undefined : instantOf(to, '23:59:59.999Z');
  const dates = [start, end].filter((date) => date !== undefined);
  return (
    dates.every((date) => date >= YEAR_1 && date < YEAR_10000) &&
    !(start !== undefined && end !== undefined && start > end)
  );
}

describe('openapi.json matches the service', () => {
  let scripted: ScriptedService;

  beforeAll(async () => {
    scripted = await startScriptedService({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50',
      EXTERNAL_SHIPPING_TIMEOUT_MS: '200',
      EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1',
      LOG_LEVEL: 'silent',
    });
  });
  afterAll(() => scripted.close());

  it('of all four operations, at least', () => {
    expect(OPERATION_PATHS.length).toBeGreaterThanOrEqual(4);
  });

  /** The status of a response; the client itself refuses one that is not described. */
  const ask = async (path: string, parameters: readonly GivenParameter[], reply: () => Behaviour, method = 'GET') => {
    scripted.upstream.respondWith(reply());
    const { target, headers } = requestOf(path, parameters);
    return scripted.service.get(target, { method, headers });
  };

  it.each(OPERATION_PATHS)('%s: an allowed request is accepted, and its response is documented', async (path) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        validParameters(path).filter((parameters) => obeysTheWords(path, parameters)),
        replies,
        fc.constantFrom('GET', 'GET', 'HEAD'),
        async (parameters, reply, method) => {
          const { status } = await ask(path, parameters, reply, method);
          statuses.add(status);
          expect(status).not.toBe(400);
        },
      ),
      { numRuns: RUNS },
    );
    // Otherwise the external system was never seen well, or never ill.
    expect(statuses).toContain(200);
    expect(statuses.size).toBeGreaterThan(1);
  });

  it.each(OPERATION_PATHS)('%s: the response to an invalid request is documented', async (path) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(hostileParameters(path), replies, async (parameters, reply) => {
        const { status, body } = await ask(path, parameters, reply);
        statuses.add(status);
        expect(body).not.toContain('internal-error');
      }),
      { numRuns: RUNS },
    );
    expect(statuses).toContain(400);
  });
});
