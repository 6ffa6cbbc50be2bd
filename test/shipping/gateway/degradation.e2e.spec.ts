import { gzipBomb, oversized } from '../../../testing/upstream/body-faults';
import { neverResponds } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import { anyReply, replyOf, wireRecord } from '../../../testing/upstream/records';
import { chunked, empty, held, json, jsonText, status } from '../../../testing/upstream/responses';
import { type ExternalFault, FAULTS, SILENCE } from '../../faults/support/external-faults';
import { expectFailure, POLICY_WINDOW_MS } from '../../faults/support/fault-responses';
import { endWaitsWhenDue, holdLongWaits } from '../../support/held-waits';
import { useMonotonicClock } from '../../support/monotonic-clock';
import {
  ATTEMPT_MS,
  BY_ID,
  DETAILS,
  expectAnswer,
  expectUnavailable,
  LISTS,
  ONE_HELD_ATTEMPT,
  type Operation,
  OPERATIONS,
  rowsFor,
  SINGLES,
  STRICT,
  withQuery,
} from '../../support/operations';
import { type HttpResponse, useScriptedService } from '../../support/service';

const MAX_BYTES = 100_000;
const SETTINGS = { ...ONE_HELD_ATTEMPT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: String(MAX_BYTES) };

describe('spec, failure behaviour 1 and 2', () => {
  const patient = useScriptedService(SETTINGS);
  const clock = useMonotonicClock();
  beforeEach(() => {
    clock.advance(POLICY_WINDOW_MS);
  });

  const rows: readonly ExternalFault[] = [
    ...FAULTS,
    ['a body of a byte too many', 'bad-reply', oversized(MAX_BYTES + 1)],
    ['an oversized body in chunks', 'bad-reply', chunked(anyReply({ Padding: 'x'.repeat(MAX_BYTES) }), 16_384)],
    ['a body that is oversized when decoded', 'bad-reply', gzipBomb(MAX_BYTES + 1)],
    ...SILENCE,
  ];
  describe.each(rows)('D18 %s is %s', (_, reason, behaviour) => {
    it.each(OPERATIONS)('D15, D20 and D21: $name', async (operation) => {
      const { service, upstream } = patient;
      const deadlines = endWaitsWhenDue(ATTEMPT_MS, (ended) => upstream.calls.length > ended);
      if (reason !== 'upstream-timeout') deadlines.restore();
      upstream.respondWith(behaviour);
      await expectFailure(service, operation, reason);
      deadlines.restore();
      // D61: an attempt whose connection is lost is made once more.
      expect(upstream.calls).toHaveLength(reason === 'upstream-unreachable' ? 4 : 2);
      upstream.respondWith(json());
      expectAnswer(await service.request(operation.request), 'complete');
    });
  });

  it.each(OPERATIONS)('D26 $name reads a body of as many bytes as are allowed', async ({ request }) => {
    patient.upstream.respondWith(oversized(MAX_BYTES));
    expectAnswer(await patient.service.request(request), 'complete');
  });

  describe('D18 no match exists for single lookups only', () => {
    const rows = rowsFor(LISTS, [
      ['status 404', 'upstream-error', status(404)],
      ['status 204', 'bad-reply', empty(204)],
      ['null', 'bad-reply', jsonText('null')],
    ]);
    it.each(rows)('D18 %s: %s is %s', async (_, __, reason, behaviour, operation) => {
      patient.upstream.respondWith(behaviour);
      expectUnavailable(operation, await patient.service.request(operation.request), reason);
    });
  });
});

describe('D20 Shipping-Completeness counts dropped records', () => {
  const scripted = useScriptedService(SETTINGS);
  const completeness = async ({ request }: Operation): Promise<unknown> =>
    (await scripted.service.request(request)).headers['shipping-completeness'];

  it.each(LISTS)('D20 $name: dropped counts records', async (operation) => {
    const records = [wireRecord(), 'odd', wireRecord({ Id: undefined }), wireRecord({ TotalWeight: 'heavy' })];
    scripted.upstream.respondWith(json(anyReply({ Items: records, ShippingDetails: records })));
    expect(await completeness(operation)).toBe('partial;reason=bad-reply;dropped=2');
    const recorded = [(await scripted.service.get('/metrics')).body, ...scripted.service.log].join();
    expect(recorded).not.toContain('dropped=');
  });

  it.each(OPERATIONS)('D20 $name: no dropped where only fields or shipping items are', async (operation) => {
    scripted.upstream.respondWith(json(replyOf(wireRecord({ TotalWeight: 'heavy', ShippingItems: [7] }))));
    expect(await completeness(operation)).toBe('partial;reason=bad-reply');
  });
});

describe('D21 Retry-After of the external system', () => {
  const scripted = useScriptedService(SETTINGS);

  it.each(OPERATIONS)('D21 $name passes it on with a 503 only, so that 502 and 500 have none', async (operation) => {
    scripted.upstream.respondWith(status(503, { retryAfter: 7 }));
    const strict = await scripted.service.request(operation.request, STRICT);
    expect([strict.status, strict.headers['retry-after']]).toEqual([502, undefined]);
    const { status: code, headers } = await scripted.service.request(operation.request);
    expect([code, headers['retry-after']]).toEqual([SINGLES.includes(operation) ? 500 : 200, undefined]);
  });
});

describe('D20 and D21 refused calls', () => {
  const scripted = useScriptedService({ ...SETTINGS, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '3600000' });

  it.each(OPERATIONS)('D20 circuit-open: $name is refused without a call, with Retry-After', async (operation) => {
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 25; call += 1) await scripted.service.request(operation.request);
    scripted.upstream.calls = [];
    await expectFailure(scripted.service, operation, 'circuit-open');
    const { headers } = await scripted.service.request(operation.request, STRICT);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(scripted.upstream.calls).toEqual([]);
  });
});

describe('D20 and D60 calls without a slot', () => {
  const slots = { EXTERNAL_SHIPPING_MAX_CONCURRENT: '1', EXTERNAL_SHIPPING_MAX_QUEUE: '2' };
  const scripted = useScriptedService({ ...SETTINGS, ...slots });
  const ids = ['FIRST', 'SECOND', 'THIRD'];
  let release: () => void;
  let sent: Promise<HttpResponse>[];

  /** One call holds the only slot, two wait for it. */
  beforeEach(async () => {
    const waiting = held();
    ({ release } = waiting);
    scripted.upstream.respondWith(waiting.behaviour);
    sent = [];
    for (const [waits, id] of ids.entries()) {
      sent.push(scripted.service.request(`GetShippingInfoById/${id}`));
      await scripted.upstream.waitForCalls(1);
      await eventually('waiting calls', () => scripted.service.metric('external_shipping_calls_waiting'), waits);
    }
  });

  it.each(OPERATIONS)('D20 $name is saturated while slots and queue are full', async (operation) => {
    await expectFailure(scripted.service, operation, 'saturated');
    const { headers } = await scripted.service.request(operation.request, STRICT);
    // D21
    expect(headers['retry-after']).toBe('1');
    expect(scripted.upstream.calls).toHaveLength(1);
    release();
    await Promise.all(sent);
  });

  it('D60 they wait, first in, first out', async () => {
    release();
    for (const response of await Promise.all(sent)) expectAnswer(response, 'complete');
    expect(scripted.upstream.calls.map(({ path }) => path.split('/').at(-1))).toEqual(ids);
  });

  it('D60 they are refused after a second', async () => {
    release();
    await Promise.all(sent);
    scripted.upstream.respondWith(neverResponds());
    const holder = scripted.service.request(BY_ID.request);
    await scripted.upstream.waitForCalls(4);
    const { waited } = holdLongWaits((ms) => ms === 1_000);
    await expectFailure(scripted.service, DETAILS, 'saturated');
    expect(waited.filter((ms) => ms === 1_000)).toHaveLength(2);
    scripted.upstream.respondWith(json());
    scripted.upstream.hangUp();
    expectAnswer(await holder, 'complete');
  });
});

describe('D20 completeness', () => {
  const scripted = useScriptedService(SETTINGS);

  it.each(OPERATIONS)('D20 D21 $name: partial is 200 without ETag, under strict handling too', async ({ request }) => {
    scripted.upstream.respondWith(json(replyOf(wireRecord({ TotalWeight: 'heavy' }))));
    for (const headers of [{}, STRICT]) {
      const response = await scripted.service.request(request, headers);
      expectAnswer(response, 'partial;reason=bad-reply');
      expect(response.headers['preference-applied']).toBe(headers === STRICT ? 'handling=strict' : undefined);
    }
  });

  it('D21 strict handling is a preference of the operations alone', async () => {
    const { headers } = await scripted.service.get('/health/live', { headers: STRICT });
    expect(headers).not.toHaveProperty('preference-applied');
  });

  it.each(OPERATIONS)('D21 $name: other preferences are not strict handling', async (operation) => {
    for (const Prefer of ['handling=lenient', 'strict', 'handling=strictly']) {
      const response = await scripted.service.request(withQuery(operation.request, 'unknown=1'), { Prefer });
      expect([response.status, response.headers['preference-applied']]).toEqual([200, undefined]);
    }
  });
});
