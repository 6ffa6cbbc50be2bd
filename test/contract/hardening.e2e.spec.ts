import type { ServerResponse } from 'node:http';
import { RawConnection } from '../faults/support/raw-connection';
import { expectUnavailable } from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { bearer, KeyServer } from '../support/key-server';
import { useMonotonicClock } from '../support/monotonic-clock';
import { BY_ID, DETAILS, eventually, STRICT } from '../support/operations';
import { RunningService, startScriptedService, type ScriptedService } from '../support/service';
import { json, status } from '../support/upstream/responses';
import { oversized } from '../support/upstream/body-faults';
import { refusedUrl } from '../support/upstream/refused-url';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';

const request = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const details = (limit: number): string => `GetShippingDetails?Limit=${limit}`;

async function withService(env: Record<string, string>, test: (scripted: ScriptedService) => Promise<void>) {
  const scripted = await startScriptedService(env);
  scripted.upstream.respondWith(json());
  try {
    await test(scripted);
  } finally {
    await scripted.close();
  }
}

describe('D33 circuits', () => {
  const circuitsOf = async (service: RunningService): Promise<unknown> =>
    ((await service.get('/health/ready')).json().externalSystem as { circuits: unknown }).circuits;

  it('D33 oversized bodies do not open a circuit', () =>
    withService({ EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '65536' }, async ({ service, upstream }) => {
      upstream.respondWith(({ path }) => (path === DETAILS.externalPath ? oversized(65_537) : json()));
      for (let limit = 1; limit <= 25; limit += 1) {
        const response = await service.request(details(limit));
        expect(response.headers['shipping-completeness']).toBe('unavailable;reason=bad-reply');
      }
      expect((await service.request(BY_ID.request)).status).toBe(200);
      expect(await circuitsOf(service)).toEqual({ details: 'closed', 'by-id': 'closed' });
    }));

  it('D33 an operation that fails does not refuse the others', () =>
    withService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' }, async ({ service, upstream }) => {
      upstream.respondWith(({ path }) => (path === DETAILS.externalPath ? status(500) : json()));
      for (let limit = 1; limit <= 25; limit += 1) await service.request(details(limit));
      expect((await service.request(BY_ID.request)).status).toBe(200);
      expect(await circuitsOf(service)).toEqual({ details: 'open', 'by-id': 'closed' });
      const metrics = (await service.get('/metrics')).body;
      expect(metrics).toContain('external_shipping_circuit_state{operation="details"} 2');
      expect(metrics).toContain('external_shipping_circuit_state{operation="by-id"} 0');
      expect(metrics).toContain('external_shipping_policy_events_total{event="refused-circuit-open"} 5');
    }));
});

describe('D33 the open period of a circuit', () => {
  const clock = useMonotonicClock();
  const [FIRST, SECOND] = [10_000, 20_000];

  it('D33 doubles while probes fail, and starts anew once one has succeeded', () =>
    withService(
      { EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', EXTERNAL_SHIPPING_BREAKER_OPEN_MS: String(FIRST) },
      async ({ service, upstream }) => {
        let limit = 0;
        const call = () => service.request(details((limit += 1)), STRICT);
        const expectOpenFor = async (ms: number): Promise<void> => {
          const refused = await call();
          expect(refused.json().reason).toBe('circuit-open');
          const seconds = Number(refused.headers['retry-after']);
          expect(Math.abs(seconds * 1000 - ms)).toBeLessThanOrEqual(ms / 5 + 1000);
        };
        const probe = async (ok: boolean, afterMs: number): Promise<void> => {
          clock.advance(afterMs);
          upstream.respondWith(ok ? json() : status(501));
          expect((await call()).status).toBe(ok ? 200 : 502);
        };
        upstream.respondWith(status(501));
        for (let failed = 0; failed < 20; failed += 1) await call();
        await expectOpenFor(FIRST);
        await probe(false, 1.2 * FIRST);
        await expectOpenFor(SECOND);
        await probe(true, 1.2 * SECOND);
        for (let failed = 0; failed < 20; failed += 1) await probe(false, 0);
        await expectOpenFor(FIRST);
      },
    ));
});

describe('D26 client disconnects', () => {
  it('D26 a client that disconnects while authentication waits makes no upstream call', async () => {
    const keys = await KeyServer.start();
    const waiting: ServerResponse[] = [];
    keys.misbehaviour = (response) => waiting.push(response);
    await withService({ ...keys.env }, async ({ service, upstream }) => {
      const token = await keys.sign();
      const client = await RawConnection.to(service.url);
      client.send(request(`/api/Shipping/${details(7)}`, `Authorization: Bearer ${token}\r\n`));
      await eventually(() => waiting.length > 0);
      client.leave();
      await eventually(() => service.requestLog.some((line) => line.status === 499));
      keys.misbehaviour = undefined;
      for (const response of waiting) response.end(keys.document);
      const ask = (): Promise<HttpResponse> => service.request(BY_ID.request, bearer(token));
      let other = await ask();
      // A busy machine can have made the keys come too late.
      while (other.status === 503) other = await ask();
      expect(other.status).toBe(200);
      expect(upstream.calls.map(({ path }) => path)).toEqual([BY_ID.externalPath]);
    });
    await keys.close();
  });
});

describe('D25 causes of failed connections', () => {
  it('D25 are logged once per change', async () => {
    const url = await refusedUrl();
    const service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: url,
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    });
    const messages = (): unknown[] =>
      service.log
        .map((line) => (JSON.parse(line) as { msg: string }).msg)
        .filter((message) => message.includes('reachable'));
    for (let limit = 1; limit <= 5; limit += 1) await service.request(details(limit));
    const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
    upstream.respondWith(json());
    for (let limit = 1; limit <= 5; limit += 1) await service.request(details(limit));
    expect(messages()).toEqual([
      'The external system is unreachable: ECONNREFUSED',
      'The external system is reachable',
    ]);
    await service.close();
    await upstream.close();
  });
});

describe('D25 refused credentials', () => {
  it('D25 are logged once for each operation; the responses stay as they are', () =>
    withService({ EXTERNAL_SHIPPING_TOKEN: 'hidden-credential' }, async ({ service, upstream }) => {
      const messages = (): unknown[] =>
        service.log
          .map((line) => JSON.parse(line) as { level: number; msg: string })
          .filter(({ msg }) => msg.includes('credential'))
          .map(({ level, msg }) => [level, msg]);
      upstream.respondWith(status(401));
      for (let limit = 1; limit <= 3; limit += 1) {
        expectUnavailable(DETAILS, await service.request(details(limit)), 'upstream-error');
      }
      upstream.respondWith(status(403));
      expect((await service.request(BY_ID.request, STRICT)).status).toBe(502);
      expect(messages()).toEqual([
        [40, 'The external system refuses the credentials of the service: status 401 for details'],
        [40, 'The external system refuses the credentials of the service: status 403 for by-id'],
      ]);
      expect(service.log.join()).not.toContain('hidden');
    }));
});
