import * as fc from 'fast-check';
import { EXTERNAL_FAULTS, HARMLESS } from './faults/support/external-faults';
import {
  type GivenParameter,
  hostileParameters,
  OPERATION_PATHS,
  requestOf,
  validParameters,
} from './support/described-requests';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, wireItem, wireRecord, type WireObject } from './support/upstream/records';

/** Requests to each operation, of each kind. */
const RUNS = 60;
/** Answers that cost little: of those that never end, and of those that are huge, other suites tell. */
const COSTLY = /200,000|bomb|oversized|huge|endless|without end|drips/;
const FAULTS = [...EXTERNAL_FAULTS, ...HARMLESS].filter(({ name }) => !COSTLY.test(name));

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
  { weight: 2, arbitrary: fc.constantFrom(...FAULTS).map(({ name, behaviour }) => Object.assign(() => behaviour(), { toString: () => name })) }, // prettier-ignore
);

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
        validParameters(path),
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
