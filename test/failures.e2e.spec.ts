import { expectAnswer, expectProblem, expectUnavailable } from './support/expectations';
import { DETAILS, OPERATIONS, STRICT } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import * as connection from './support/upstream/connection-faults';
import type { Behaviour } from './support/upstream/exchange';
import { json, status } from './support/upstream/responses';

describe('D26 attempts and deadlines', () => {
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
    ['a connection reset', connection.resetsBeforeHeaders()],
    ['silence', connection.neverResponds()],
  ])('D26 after %s another attempt may succeed', async (_, failure) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
    });
    upstream.respondWith(json());
    upstream.enqueue(failure);
    expectAnswer(DETAILS, await service.request(DETAILS.request), 'complete');
    expect(upstream.calls).toHaveLength(2);
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
});
