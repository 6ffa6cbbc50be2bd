import type { Send, UpstreamRequest } from '../../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import type { QueryResult } from '../../../src/shipping/model/query-result';
import type { ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { badJson, oversized, wrongShape } from '../../../testing/upstream/body-faults';
import { closesEarly } from '../../../testing/upstream/connection-faults';
import { eventually } from '../../../testing/upstream/eventually';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { held, html, json, redirect, status, validResponse } from '../../../testing/upstream/responses';
import { expectDegraded } from '../../faults/support/fault-responses';
import { useMonotonicClock } from '../../support/monotonic-clock';
import {
  BY_ID,
  DETAILS,
  expectResponse,
  expectUnavailable,
  OPERATIONS,
  PATIENT,
  rowsFor,
  SINGLES,
  STRICT,
} from '../../support/operations';
import { useScriptedService } from '../../support/service';

const OPEN_MS = 10_000;
const SETTINGS = {
  ...PATIENT,
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(OPEN_MS),
};
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
    ['the wrong shape', wrongShape(7)],
    ['no JSON', badJson()],
    ['an oversized body', oversized(200_000)],
    ['a redirect', redirect()],
    ['400', status(400)],
    ['a web page', html()],
  ];
  it.each(rowsFor(OPERATIONS, OF_NO_COUNT))('D57 %s: %s', async (_, __, behaviour, operation) => {
    scripted.upstream.respondWith(behaviour);
    await send(operation.request, CALLS);
    scripted.upstream.respondWith(json());
    expectResponse(await scripted.service.request(operation.request), 'complete');
    expect(Object.values(await circuits())).not.toContain('open');
  });

  it.each([
    ['500', status(500)],
    ['408', status(408)],
    ['429', status(429)],
    ['a body that breaks off', closesEarly()],
  ] as const)('D33 D57 %s opens one circuit alone', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    await send(BY_ID.request, CALLS);
    expect(await circuits()).toMatchObject({ 'by-id': 'open' });
    expect(await scripted.service.metric('external_shipping_circuit_state{operation="by-id"}')).toBe(2);
    const refused = 'external_shipping_policy_events_total{event="refused-circuit-open"}';
    expect(await scripted.service.metric(refused)).toBeGreaterThan(0);
    expect(scripted.upstream.calls.length).toBeLessThan(CALLS);
    scripted.upstream.respondWith(json());
    for (const operation of OPERATIONS.filter((other) => other !== BY_ID)) {
      expectResponse(await scripted.service.request(operation.request), 'complete');
    }
  });

  it('D33 D57 after a probe of no count the next call probes', async () => {
    scripted.upstream.respondWith(status(500));
    await send(BY_ID.request, CALLS);
    clock.advance(1.2 * OPEN_MS);
    scripted.upstream.calls = [];
    scripted.upstream.respondWith(wrongShape(7));
    for (let probe = 1; probe <= 3; probe += 1) {
      await send(BY_ID.request, 1);
      expect(scripted.upstream.calls).toHaveLength(probe);
    }
    scripted.upstream.respondWith(json());
    expectResponse(await scripted.service.request(BY_ID.request), 'complete');
    expect(await circuits()).toMatchObject({ 'by-id': 'closed' });
  });

  it('D33 one probe at a time, other calls are refused', async () => {
    scripted.upstream.respondWith(status(500));
    await send(DETAILS.request, CALLS);
    clock.advance(1.2 * OPEN_MS);
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    scripted.upstream.calls = [];
    const probe = scripted.service.request(DETAILS.request);
    await scripted.upstream.waitForCalls(1);
    for (let call = 0; call < 10; call += 1) {
      expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), 'circuit-open');
    }
    release();
    expectResponse(await probe, 'complete');
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
    expect(scripted.upstream.calls).toHaveLength(2);
  });

  it('D33 the open period doubles while probes fail', async () => {
    const call = () => scripted.service.request(DETAILS.request, STRICT);
    const expectOpenFor = async (ms: number): Promise<void> => {
      const refused = await call();
      expect(refused.json().reason).toBe('circuit-open');
      expect(Math.abs(Number(refused.headers['retry-after']) * 1000 - ms)).toBeLessThanOrEqual(ms / 5 + 1000);
    };
    const probe = async (code: number, afterMs: number): Promise<void> => {
      clock.advance(afterMs);
      scripted.upstream.respondWith(code === 200 ? json() : status(501));
      expect((await call()).status).toBe(code);
    };
    scripted.upstream.respondWith(status(501));
    for (let failed = 0; failed < CALLS; failed += 1) await call();
    await expectOpenFor(OPEN_MS);
    await probe(502, 1.2 * OPEN_MS);
    await expectOpenFor(2 * OPEN_MS);
    await probe(200, 2.4 * OPEN_MS);
    for (let failed = 0; failed < 20; failed += 1) await probe(502, 0);
    await expectOpenFor(OPEN_MS);
  });

  it.each(SINGLES)('D57 $name: no match is a success', async (operation) => {
    scripted.upstream.respondWith(status(404));
    await send(operation.request, 11);
    scripted.upstream.respondWith(status(500));
    await send(operation.request, 10);
    expect((await circuits())[operation.name === BY_ID.name ? 'by-id' : 'single']).toBe('closed');
  });
});

describe('D21 a 429 with Retry-After is a pause', () => {
  const scripted = useScriptedService({ ...SETTINGS, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '2' });
  const clock = useMonotonicClock();
  beforeEach(async () => {
    // Each circuit is closed by a success after the pause of the test before.
    clock.advance(60_000);
    for (const { request } of OPERATIONS) await scripted.service.request(request);
    scripted.upstream.calls = [];
  });

  it.each(OPERATIONS)('$name: nothing is sent inside it', async (operation) => {
    const { service, upstream } = scripted;
    clock.stop();
    const strict = async (): Promise<unknown[]> => {
      const response = await service.request(operation.request, STRICT);
      const { reason } = response.json();
      return [response.status, String(reason), Number(response.headers['retry-after'])];
    };
    upstream.respondWith(status(429, { retryAfter: 58 }));
    expect(await strict()).toEqual([503, 'upstream-error', 58]);
    upstream.respondWith(validResponse);
    for (let call = 0; call < 16; call += 1) expect(await strict()).toEqual([503, 'circuit-open', 58]);
    expectDegraded(operation, await service.request(operation.request), 'circuit-open');
    expect(service.requestLog.at(-1)?.cause).toBe('circuit open after: status 429');
    clock.advance(50_000);
    expect(await strict()).toEqual([503, 'circuit-open', 8]);
    for (const other of OPERATIONS.filter((each) => each !== operation)) {
      expectResponse(await service.request(other.request), 'complete');
    }
    expect(upstream.calls).toHaveLength(OPERATIONS.length);
    clock.advance(8000);
    expectResponse(await service.request(operation.request), 'complete');
    expectResponse(await service.request(operation.request), 'complete');
  });

  it('a list is upstream-error, then circuit-open', async () => {
    scripted.upstream.respondWith(status(429, { retryAfter: 58 }));
    expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), 'upstream-error');
    expectUnavailable(DETAILS, await scripted.service.request(DETAILS.request), 'circuit-open');
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it.each([
    ['an hour', '3600'],
    ['a date in an hour', new Date(Date.now() + 3_600_000).toUTCString()],
  ])('%s is one of a minute at most', async (_, retryAfter) => {
    scripted.upstream.respondWith(status(429, { retryAfter }));
    for (let call = 0; call < 2; call += 1) {
      const { headers } = await scripted.service.request(BY_ID.request, STRICT);
      expect(headers['retry-after']).toBe('60');
    }
    clock.advance(60_000);
    scripted.upstream.respondWith(validResponse);
    expectResponse(await scripted.service.request(BY_ID.request), 'complete');
  });

  it.each([
    ['429 without Retry-After', status(429)],
    ['429 with Retry-After: 0', status(429, { retryAfter: 0 })],
    ['429 with Retry-After of no sense', status(429, { retryAfter: 'soon' })],
    ['503 with Retry-After', status(503, { retryAfter: 58 })],
  ])('%s is none', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    expect((await scripted.service.request(DETAILS.request, STRICT)).status).toBe(502);
    scripted.upstream.respondWith(validResponse);
    expectResponse(await scripted.service.request(DETAILS.request), 'complete');
  });

  it('its call waits for its end where its deadline allows', async () => {
    const { service, upstream } = scripted;
    upstream.respondWith(status(429, { retryAfter: 1 }));
    const waiting = service.request(DETAILS.request);
    await eventually('the state of the circuit in the metric', () =>
      service.metric('external_shipping_circuit_state{operation="details"}').then(Boolean),
    );
    upstream.respondWith(validResponse);
    expectUnavailable(DETAILS, await service.request(DETAILS.request), 'circuit-open');
    expect(upstream.calls).toHaveLength(1);
    expectResponse(await waiting, 'complete');
    expect(upstream.calls).toHaveLength(2);
  });
});

/** Sends two requests for a list, one after the other. */
class TwiceProtocol extends StandardProtocol {
  override async list(request: UpstreamRequest, send: Send): Promise<QueryResult<ShippingLookupItem[]>> {
    await super.list(request, send);
    return super.list(request, send);
  }
}

describe('D21 an attempt of several requests', () => {
  const scripted = useScriptedService(SETTINGS, { protocol: TwiceProtocol });

  it('sends none of them inside the pause of another call', async () => {
    const { service, upstream } = scripted;
    const { behaviour, release } = held();
    upstream.enqueue(behaviour, status(429, { retryAfter: 58 }));
    const first = service.request(DETAILS.request, STRICT);
    await upstream.waitForCalls(1);
    expect((await service.request(DETAILS.request, STRICT)).json().reason).toBe('upstream-error');
    release();
    const { status: code, headers } = await first;
    expect([code, headers['retry-after'], upstream.calls.length]).toEqual([503, '58', 2]);
  });
});
