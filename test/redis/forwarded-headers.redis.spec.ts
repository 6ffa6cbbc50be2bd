import type { HttpResponse } from '../support/http-client';
import { eventually, OPERATIONS } from '../support/operations';
import { RunningService } from '../support/service';
import { json } from '../support/upstream/responses';
import { anyReply, wireRecord } from '../support/upstream/records';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { RedisServer } from './support/redis-server';

jest.mock('ioredis', () => jest.requireActual<object>('./support/patient-redis'));

describe('D22 FORWARD_HEADERS with the cache shared through Redis', () => {
  let redis: RedisServer;
  let upstream: ScriptedUpstream;
  const replicas: RunningService[] = [];

  beforeAll(async () => {
    [redis, upstream] = await Promise.all([RedisServer.start(), ScriptedUpstream.start()]);
  });
  afterAll(async () => {
    await Promise.all([redis.stop(), upstream.close()]);
  });
  beforeEach(async () => {
    upstream.reset();
    upstream.respondWith(({ headers }) => {
      const record = wireRecord({ OrderId: `order of ${headers['x-tenant-id'] ?? 'nobody'}` });
      return json(anyReply({ ...record, Items: [record], ShippingDetails: [record] }));
    });
    await redis.inside.flushall();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
  });

  /** A replica that has reached Redis. */
  async function replica(env: Record<string, string> = { FORWARD_HEADERS: 'X-Tenant-Id' }): Promise<RunningService> {
    const service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: upstream.url,
      CACHE_TTL_MS: '60000',
      REDIS_URL: redis.url,
      ...env,
    });
    replicas.push(service);
    await eventually(() => service.log.some((line) => line.includes('Redis is available')));
    return service;
  }

  const ask = (service: RunningService, request: string, tenant: string): Promise<HttpResponse> =>
    service.request(request, { 'X-Tenant-Id': tenant });
  const stored = async (count: number): Promise<string[]> => {
    for (;;) {
      const keys = await redis.inside.keys('*');
      if (keys.length >= count) return keys;
    }
  };
  const cacheStatus = ({ headers }: HttpResponse): string => String(headers['cache-status']);

  it.each(OPERATIONS)(
    'D22 $name: a replica serves what another fetched for the same tenant only',
    async (operation) => {
      const [one, two] = [await replica(), await replica()];
      await ask(one, operation.request, 'tenant-north');
      await stored(1);
      const other = await ask(two, operation.request, 'tenant-south');
      expect([cacheStatus(other), other.body]).toEqual([expect.stringContaining('fwd=miss'), expect.stringContaining('order of tenant-south')]); // prettier-ignore
      const same = await ask(two, operation.request, 'tenant-north');
      expect([cacheStatus(same), same.body]).toEqual([expect.stringContaining('; hit'), expect.stringContaining('order of tenant-north')]); // prettier-ignore
      expect(upstream.calls).toHaveLength(2);
      expect((await stored(2)).join()).not.toContain('tenant');
    },
  );

  it.each(OPERATIONS)('D22 $name: replicas that forward other headers share nothing', async ({ request }) => {
    const [none, one] = [await replica({}), await replica()];
    await none.request(request);
    await stored(1);
    expect(cacheStatus(await one.request(request))).toContain('fwd=miss');
    expect(upstream.calls).toHaveLength(2);
  });
});
