import type { ServerResponse } from 'node:http';
import { RawConnection } from '../faults/support/raw-connection';
import { expectUnavailable } from '../support/expectations';
import type { HttpResponse } from '../support/http-client';
import { bearer, KeyServer } from '../support/key-server';
import { BY_ID, DETAILS, eventually, STRICT } from '../support/operations';
import { RunningService, startScriptedService, type ScriptedService } from '../support/service';
import { resetsBeforeHeaders } from '../support/upstream/connection-faults';
import { json, status } from '../support/upstream/responses';
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
  const reachable = ({ log }: RunningService): unknown[] =>
    log
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
      .filter((message) => message.includes('reachable'))
      .map((message) => message.replace('The external system is ', ''));

  it('D25 are logged once, and their end', async () => {
    const url = await refusedUrl();
    const service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: url,
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    });
    for (let limit = 1; limit <= 5; limit += 1) await service.request(details(limit));
    const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
    upstream.respondWith(json());
    for (let limit = 1; limit <= 5; limit += 1) await service.request(details(limit));
    expect(reachable(service)).toEqual(['unreachable: ECONNREFUSED', 'reachable']);
    await service.close();
    await upstream.close();
  });

  it('D25 of a system that flaps are logged once a minute, and the last change in the end', () =>
    withService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' }, async ({ service, upstream }) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000_000);
      const flap = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time += 1) {
          upstream.respondWith(time % 2 === 0 ? resetsBeforeHeaders() : json());
          await service.request(details(time + 1));
        }
      };
      const [down, up] = ['unreachable: ECONNRESET', 'reachable'];
      await flap(11);
      expect(reachable(service)).toEqual([down, up]);
      clock.mockReturnValue(1_060_000);
      await flap(11);
      expect(reachable(service)).toEqual([down, up, down, up]);
      clock.mockReturnValue(1_120_000);
      await flap(1);
      expect(reachable(service)).toEqual([down, up, down, up, down]);
      clock.mockRestore();
    }));
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
