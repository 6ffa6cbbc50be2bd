import { completenessOf, expectAnswer, expectProblem, expectUnavailable } from './support/expectations';
import { useMonotonicClock } from './support/monotonic-clock';
import { DETAILS, LISTS, OPERATIONS, SINGLES, STRICT, type Operation } from './support/operations';
import { RunningService, startScriptedService, useScriptedService, type ScriptedService } from './support/service';
import * as connection from './support/upstream/connection-faults';
import type { Behaviour } from './support/upstream/exchange';
import { json, status } from './support/upstream/responses';

/** One attempt. */
const SINGLE_ATTEMPT = {
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_TOKEN: 'hidden-credential',
};
/** No deadline passes. */
const PATIENT = {
  ...SINGLE_ATTEMPT,
  EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
};
/** The retry budget, three retries at least, is full again. */
const RETRY_BUDGET_WINDOW_MS = 11_000;
/** What strict clients get (D21). */
const STRICT_STATUS = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
} as const;
type Reason = keyof typeof STRICT_STATUS;

/** The response of an operation whose external system has failed for this reason, by default and for strict clients. */
async function expectFailure(service: RunningService, operation: Operation, reason: Reason): Promise<void> {
  const byDefault = await service.request(operation.request);
  if (operation.single) expectProblem(byDefault, 500, 'external-system-failed');
  else expectUnavailable(operation, byDefault, reason);
  expect(byDefault.headers['preference-applied']).toBeUndefined();

  const strict = await service.request(operation.request, STRICT);
  expectProblem(strict, STRICT_STATUS[reason]);
  expect(strict.headers['preference-applied']).toBe('handling=strict');
  expect(strict.headers['shipping-completeness']).toBeUndefined();
  const retryAfter = strict.headers['retry-after'];
  if (retryAfter !== undefined) expect(retryAfter).toMatch(/^[1-9]\d{0,5}$/);
}

describe('D26 attempts and deadlines', () => {
  const clock = useMonotonicClock();
  let scripted: ScriptedService | undefined;
  afterEach(async () => {
    await scripted?.close();
    scripted = undefined;
  });

  const start = async (env: Record<string, string>): Promise<ScriptedService> => {
    scripted = await startScriptedService(env);
    return scripted;
  };

  it.each<[string, Behaviour]>([
    ['status 503', status(503)],
    ['a connection reset', connection.resetsBeforeHeaders()],
    ['silence', connection.neverResponds()],
  ])('D26 after %s another attempt may succeed', async (_, failure) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
    });
    const failed = new Set<string>();
    upstream.respondWith(({ path }) => {
      if (failed.has(path)) return json();
      failed.add(path);
      return failure;
    });
    for (const operations of [SINGLES, LISTS]) {
      clock.advance(RETRY_BUDGET_WINDOW_MS);
      await Promise.all(
        operations.map(async (operation) => {
          expectAnswer(operation, await service.request(operation.request), 'complete');
        }),
      );
    }
    expect(upstream.calls.length).toBeGreaterThanOrEqual(8);
  });

  it.each([1, 3])('D26 at most EXTERNAL_SHIPPING_MAX_ATTEMPTS=%i attempts, the first included', async (attempts) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: String(attempts),
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
    });
    upstream.respondWith(status(503));
    expectUnavailable(DETAILS, await service.request(DETAILS.request), 'upstream-error');
    expect(upstream.calls).toHaveLength(attempts);
  });

  it('D22 the attempts of one request carry its id and its trace', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(status(503));
    await service.request(DETAILS.request, { 'X-Request-Id': 'R-7' });
    expect(upstream.calls.length).toBeGreaterThan(1);
    expect(new Set(upstream.calls.map(({ headers }) => headers['x-request-id']))).toEqual(new Set(['R-7']));
    expect(new Set(upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[1])).size).toBe(1);
    expect(new Set(upstream.calls.map(({ target }) => target)).size).toBe(1);
  });

  it('D26 EXTERNAL_SHIPPING_TIMEOUT_MS bounds a call, retries included', async () => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '400',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '10',
    });
    upstream.enqueue(status(503));
    upstream.respondWith(connection.neverResponds());
    const answers = await Promise.all(OPERATIONS.map(({ request }) => service.request(request, STRICT)));
    for (const answer of answers) expectProblem(answer, 504);
    await upstream.until(() => upstream.inFlight() === 0);
  });

  it('D26 a dead kept-alive connection is replaced, uncounted', async () => {
    const { service, upstream } = await start({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    upstream.respondWith(json());
    upstream.enqueue(connection.closesKeepAliveAsReused());
    expectAnswer(DETAILS, await service.request('GetShippingDetails?Limit=1'), 'complete;limit=1');
    expectAnswer(DETAILS, await service.request('GetShippingDetails?Limit=2'), 'complete');
    expect([upstream.calls.length, upstream.reusesRefused]).toEqual([2, 1]);
  });

  it('D26 a client disconnect cancels the call', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(connection.neverResponds());
    const leaving = new AbortController();
    const asked = service.get(`/api/Shipping/${DETAILS.request}`, { signal: leaving.signal });
    await upstream.waitForCalls(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('D20 circuit-open', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
    scripted.upstream.respondWith(status(500));
    for (const { request } of OPERATIONS) {
      for (let call = 0; call < 20; call++) await scripted.service.request(request);
    }
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });
  afterAll(() => scripted.close());

  it.each(OPERATIONS)('D33 $name is refused at once, with Retry-After', async (operation) => {
    await expectFailure(scripted.service, operation, 'circuit-open');
    expect(scripted.upstream.calls).toEqual([]);
    const strict = await scripted.service.request(operation.request, STRICT);
    expect(Number(strict.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // At first 60 s; how much is added at random is not said.
    expect(Number(strict.headers['retry-after'])).toBeLessThanOrEqual(120);
  });

  it('D25 readiness does not depend on it', async () => {
    expect((await scripted.service.get('/health/ready')).status).toBe(200);
  });

  it('D9 and D4: bad input is still 400', async () => {
    expect((await scripted.service.request('GetShippingInfoById/-')).status).toBe(400);
    expect((await scripted.service.request('GetShippingPagedList?PageNumber=0', STRICT)).status).toBe(400);
  });
});

describe('D26 the circuit closes again', () => {
  const clock = useMonotonicClock();
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
  const completeness = async (): Promise<unknown> => completenessOf(await scripted.service.request(DETAILS.request));

  it('EXTERNAL_SHIPPING_BREAKER_OPEN_MS later, when the external system has recovered', async () => {
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 20; call++) await scripted.service.request(DETAILS.request);
    scripted.upstream.respondWith(json());
    // The open time is off by up to a fifth.
    clock.advance(40_000);
    expect(await completeness()).toBe('unavailable;reason=circuit-open');
    clock.advance(40_000);
    expect(await completeness()).toBe('complete');
  });
});
