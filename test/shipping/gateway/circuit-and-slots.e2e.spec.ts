import { badJson } from '../../../testing/upstream/body-faults';
import { closesEarly } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { held, json, status, validResponse } from '../../../testing/upstream/responses';
import { expectDegraded, expectStrictFailure } from '../../faults/support/fault-responses';
import { expectResponse } from '../../support/expected';
import { endWaitsWhenDue } from '../../support/held-waits';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { failed, useCauses } from '../../support/observed-causes';
import { BY_ID, DETAILS, OPERATIONS, PAGED, rowsFor, STRICT } from '../../support/operations';
import { type HttpResponse, ONCE, useScriptedService } from '../../support/service';

const OPEN_MS = 10_000;
const SETTINGS = { ...ONCE, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(OPEN_MS) };
const CALLS = 24;

describe('D57 what one client can choose counts neither way', () => {
  const scripted = useScriptedService(SETTINGS);
  const clock = useMonotonicClock();
  beforeEach(async () => {
    // Past every window and open time of the test before; each circuit is closed by a success.
    clock.advance(120_000);
    for (const { request } of OPERATIONS) await scripted.service.request(request);
    clock.advance(120_000);
    scripted.upstream.calls = [];
  });

  const circuits = async (): Promise<Record<string, string>> => {
    const { externalSystem } = (await scripted.service.get('/health/ready')).json();
    return (externalSystem as { circuits: Record<string, string> }).circuits;
  };
  const send = async (request: string, times: number): Promise<void> => {
    for (let call = 0; call < times; call += 1) await scripted.service.request(request);
  };

  const OF_NO_COUNT: [string, Behaviour][] = [
    ['no JSON', badJson()],
    ['400', status(400)],
  ];
  it.each(rowsFor([BY_ID, PAGED], OF_NO_COUNT))('D57 %s: %s', async (_, __, behaviour, operation) => {
    scripted.upstream.respondWith(behaviour);
    await send(operation.request, CALLS);
    scripted.upstream.respondWith(json());
    expectResponse(await scripted.service.request(operation.request), 'complete');
    expect(Object.values(await circuits())).not.toContain('open');
  });

  it.each([
    ['500', status(500)],
    ['a body that breaks off', closesEarly()],
  ] as const)('D33 D57 %s opens one circuit alone', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    await send(BY_ID.request, CALLS);
    expect(await circuits()).toMatchObject({ 'by-id': 'open' });
    expect(await scripted.service.metric('external_shipping_circuit_state{operation="by-id"}')).toBe(2);
    const refused = 'external_shipping_policy_events_total{event="refused-circuit-open"}';
    expect(await scripted.service.metric(refused)).toBeGreaterThan(0);
    expect(scripted.upstream.calls.length).toBeLessThan(CALLS);
    const { headers } = await scripted.service.request(BY_ID.request, STRICT);
    // The open time differs by a fifth in both directions.
    expect(Math.abs(1000 * Number(headers['retry-after']) - OPEN_MS)).toBeLessThanOrEqual(OPEN_MS / 5 + 1000);
    scripted.upstream.respondWith(json());
    for (const operation of OPERATIONS.filter((other) => other !== BY_ID)) {
      expectResponse(await scripted.service.request(operation.request), 'complete');
    }
  });
});

describe('D21 a 429 with Retry-After is a pause', () => {
  const scripted = useScriptedService({ ...SETTINGS, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '2' });
  const clock = useMonotonicClock();

  it('D21 nothing is sent inside it, and clients are told its rest', async () => {
    const { service, upstream } = scripted;
    clock.stop();
    const strict = async (): Promise<unknown[]> => {
      const response = await service.request(DETAILS.request, STRICT);
      const { reason } = response.json();
      return [response.status, String(reason), Number(response.headers['retry-after'])];
    };
    upstream.respondWith(status(429, { retryAfter: 58 }));
    expect(await strict()).toEqual([503, 'upstream-error', 58]);
    upstream.respondWith(validResponse);
    clock.advance(50_000);
    expect(await strict()).toEqual([503, 'circuit-open', 8]);
    expectDegraded(DETAILS, await service.request(DETAILS.request), 'circuit-open');
    expect(service.requestLog.at(-1)?.cause).toBe('circuit open after: status 429');
    expect(upstream.calls).toHaveLength(1);
    clock.advance(8000);
    expectResponse(await service.request(DETAILS.request), 'complete');
  });
});

describe('slots', () => {
  const { scripted, observe } = useCauses({
    EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
    EXTERNAL_SHIPPING_MAX_QUEUE: '2',
  });
  const ids = ['FIRST', 'SECOND', 'THIRD'];
  let release: () => void;
  let sent: Promise<HttpResponse>[];

  /** One call holds the only slot, two wait for it, however long the test takes. */
  beforeEach(async () => {
    endWaitsWhenDue(1_000, () => false);
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
  afterEach(async () => {
    release();
    await Promise.all(sent);
  });

  it.each(OPERATIONS)('D20 D21 D81 $name is saturated, and says so', async (operation) => {
    const cause = 'no slot: the queue of calls is full';
    const degraded = await observe(operation);
    expectDegraded(operation, degraded.response, 'saturated');
    expect(degraded).toMatchObject({ cause, spans: [cause], lines: [failed(operation, cause)] });
    const strict = await observe(operation, STRICT);
    expectStrictFailure(strict.response, 'saturated');
    expect(strict).toMatchObject({ cause, spans: [cause], lines: [] });
    expect(strict.response.headers['retry-after']).toBe('1');
    expect(scripted.upstream.calls).toHaveLength(1);
  });
});
