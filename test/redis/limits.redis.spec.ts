import { hash } from 'node:crypto';
import { eventually } from '../../testing/upstream/eventually';
import { wireList, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectProblem, expectResponse, remaining } from '../support/expected';
import { DETAILS } from '../support/operations';
import { type HttpResponse, RunningService } from '../support/service';
import { serviceTimeouts } from './support/patient-redis';
import { RedisServer } from './support/redis-server';
import { useReplicas } from './support/replicas';

jest.mock('ioredis', () => jest.requireActual<object>('./support/patient-redis'));

const UNLIMITED = { RATE_LIMIT_MAX: '100000' };
const UNAVAILABLE = expect.stringMatching(/^Redis is unavailable: [A-Za-z ]+$/);
const AVAILABLE = 'Redis is available';

describe('rate limits shared through Redis', () => {
  let redis: RedisServer;
  const replicas = useReplicas({ RATE_LIMIT_MAX: '10', RATE_LIMIT_WINDOW_MS: '3600000' });
  beforeEach(async () => {
    redis = await RedisServer.start();
  });
  afterEach(() => redis.stop());

  const connected = (env = {}): Promise<RunningService> => replicas.connected(redis.url, env);
  const logged = (): string[] => replicas.logged('Redis is ');
  const ask = (service: RunningService, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    service.request(DETAILS.request, headers);
  async function statuses(service: RunningService, count: number): Promise<number[]> {
    const codes: number[] = [];
    for (let index = 0; index < count; index += 1) codes.push((await ask(service)).status);
    return codes;
  }
  /** How many requests the replica counted alone. */
  const countedAlone = (service: RunningService): Promise<number> =>
    service.metric('shipping_guard_failures_total{failure="limit"}');

  /** Sends requests until Redis counts one, and returns its response. */
  async function untilShared(service: RunningService): Promise<HttpResponse> {
    const countedTogether = async (): Promise<readonly HttpResponse[]> => {
      const before = await countedAlone(service);
      const response = await ask(service);
      return (await countedAlone(service)) === before ? [response] : [];
    };
    const [response] = await eventually('a response that Redis counted', countedTogether, ({ length }) => length === 1);
    if (response === undefined) throw new Error('There is no response');
    return response;
  }

  it('D32 replicas count together, also concurrent requests', async () => {
    const services = [await connected(), await connected(), await connected()] as const;
    const [first] = services;
    for (const [index, service] of [first, ...services].entries()) {
      expect(remaining(await ask(service))).toBe(9 - index);
    }
    const responses = await Promise.all(services.flatMap((service) => Array.from({ length: 20 }, () => ask(service))));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(6);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(54);
    for (const response of refused) expectProblem(response, 429, 'rate-limit-exceeded');
    expect(refused[0]?.headers['retry-after']).toMatch(/^3\d{3}$/);
  });

  it('D32 keys are digests, values are counters, and all expire', async () => {
    const service = await connected({ TRUST_PROXY: 'loopback' });
    for (let times = 0; times < 2; times += 1) {
      await ask(service);
      await ask(service, { 'X-Forwarded-For': '192.0.2.77' });
    }
    const keys = await redis.inside.keys('*');
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key).toMatch(/^shipping-query-service:rate-limit:[\w-]{43}$/);
      expect(await redis.inside.pttl(key)).toBeGreaterThan(0);
    }
    expect(await redis.inside.mget(keys)).toEqual(['2', '2']);
    expect(replicas.logged('evicts')).toEqual([]);
  });

  it('D32 what fills Redis resets no limit, by allkeys-lfu', async () => {
    await redis.inside.config('SET', 'maxmemory', '4mb', 'maxmemory-policy', 'allkeys-lfu');
    const key = { 'X-API-Key': 'key' };
    const env = { AUTH_API_KEYS_SHA256: hash('sha256', 'key'), CACHE_TTL_MS: '3600000', RATE_LIMIT_MAX: '100000' };
    replicas.upstream.respondWith(
      json(wireList(Array.from({ length: 150 }, (_, index) => wireRecord({ Id: `S-${index}` })))),
    );
    const service = await replicas.connected(redis.url, env);
    for (let round = 1; round <= 3; round += 1) {
      for (let time = 0; time < 3; time += 1) expect((await ask(service)).status).toBe(401);
      const left: number[] = [];
      for (let limit = 1000; limit < 1160; limit += 16) {
        const lists = Array.from({ length: 16 }, (_, index) => `GetShippingDetails?Limit=${limit + index}`);
        const responses = await Promise.all(lists.map((list) => service.request(list, key)));
        left.push(...responses.map(remaining).sort((a, b) => b - a));
      }
      expect(left).toEqual(Array.from({ length: 160 }, (_, index) => 100_000 - 160 * (round - 1) - index - 1));
      const counters = await redis.inside.mget(await redis.inside.keys('*:rate-limit:*'));
      expect(counters.toSorted()).toEqual([String(3 * round), String(160 * round)].toSorted());
    }
    expect(await redis.inside.info('stats')).toMatch(/evicted_keys:[1-9]/);
    expect(replicas.logged('evicts')).toEqual([]);
  }, 300_000);

  it.each(['allkeys-lru', 'volatile-ttl'])(
    'D32 a policy that resets limits is a warning at start: %s',
    async (policy) => {
      await redis.inside.config('SET', 'maxmemory-policy', policy);
      await connected();
      const warning = `Redis evicts by ${policy}, which resets rate limits: set allkeys-lfu or noeviction`;
      const lines = (): string[] => replicas.logged('evicts');
      await eventually('the warning', () => lines().length, 1);
      expect(lines()).toEqual([warning]);
    },
  );

  it('D32 Redis is killed: each counts for itself until it is back', async () => {
    const services = await replicas.two(redis.url, { RATE_LIMIT_MAX: '2' });
    const [first] = services;
    expect(await statuses(first, 3)).toEqual([200, 200, 429]);
    const before = logged().length;
    await redis.kill();
    for (const service of services) {
      const response = await ask(service);
      expectResponse(response, 'complete');
      expect(remaining(response)).toBe(1);
      expect(await statuses(service, 2)).toEqual([200, 429]);
      expect(await countedAlone(service)).toBe(3);
    }
    await eventually('lines of this kind', () => logged().length, before + 2);
    expect(logged().slice(before)).toEqual([UNAVAILABLE, UNAVAILABLE]);
    await redis.start();
    expect(remaining(await untilShared(first))).toBe(1);
    expect(await statuses(first, 2)).toEqual([200, 429]);
    expect(logged().slice(before)).toContain(AVAILABLE);
  });

  describe('Redis that does not respond', () => {
    serviceTimeouts();

    it('D32 Redis hangs: all requests are served and counted here', async () => {
      const service = await connected(UNLIMITED);
      const before = logged().length;
      redis.hang();
      for (const response of await Promise.all(Array.from({ length: 10 }, () => ask(service)))) {
        expectResponse(response, 'complete');
      }
      for (let index = 0; index < 50; index += 1) expect((await ask(service)).status).toBe(200);
      expect(await countedAlone(service)).toBe(60);
      expect(logged().slice(before)).toEqual([UNAVAILABLE]);
      redis.resume();
      await untilShared(service);
      expect(logged().at(-1)).toBe(AVAILABLE);
    });
  });

  it('D32 Redis refuses writes: each counts for itself', async () => {
    const service = await connected({ RATE_LIMIT_MAX: '2' });
    await redis.inside.config('SET', 'min-replicas-to-write', '1');
    expect(await statuses(service, 3)).toEqual([200, 200, 429]);
    expect(await countedAlone(service)).toBe(3);
  });
});
