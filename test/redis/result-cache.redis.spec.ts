import { hash } from 'node:crypto';
import type { CompressCallback } from 'node:zlib';
import { VERSION } from '../../src/common/version';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';
import { eventually } from '../../testing/upstream/eventually';
import { wireList, wireRecord } from '../../testing/upstream/records';
import { json, status, validResponse } from '../../testing/upstream/responses';
import { cacheStatusOf, expectProblem, expectResponse } from '../support/expected';
import { decoded } from '../support/http-client';
import { BY_ID, DETAILS, OPERATIONS } from '../support/operations';
import { type HttpResponse, RunningService, type ServiceOptions } from '../support/service';
import { useMovedDate } from '../support/wall-clock';
import { serviceTimeouts, vainWaits } from './support/patient-redis';
import { RedisServer } from './support/redis-server';
import { freshRequest, useReplicas } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

let compressions = 0;
jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof import('node:zlib')>('node:zlib');
  const gzip = (...given: [Buffer, CompressCallback]): void => {
    compressions += 1;
    actual.gzip(...given);
  };
  return { ...actual, gzip };
});

jest.mock('ioredis', () => jest.requireActual<object>('./support/patient-redis'));

const TTL_MS = 60_000;
const STALE_MS = 600_000;
const KEYS = 'shipping-query-service:cache:*';
const REQUESTS = 60;

describe('the cache shared through Redis', () => {
  let redis: RedisServer;
  const times = { CACHE_TTL_MS: String(TTL_MS), CACHE_STALE_IF_ERROR_MS: String(STALE_MS) };
  const replicas = useReplicas({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', ...times });
  const pass = useMovedDate();

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.inside.config('SET', 'maxmemory', '0');
    await redis.inside.flushall();
  });

  const connected = (url = redis.url, env = {}, options?: ServiceOptions): Promise<RunningService> =>
    replicas.connected(url, env, options);
  /** How often something was logged. */
  const logged = (text: string): number => replicas.logged(text).length;

  /** Entries in Redis, once so many have arrived. */
  const keys = (count: number): Promise<string[]> =>
    eventually('entries in Redis', () => redis.inside.keys(KEYS), ({ length }) => length >= count); // prettier-ignore
  const theKey = async (): Promise<string> => String((await keys(1))[0]);

  /** Expects a complete response that comes from the cache, or not. */
  function expectCached(response: HttpResponse, status: 'hit' | 'fwd=miss'): void {
    expectResponse(response, 'complete');
    expect(cacheStatusOf(response)).toBe(status);
  }

  /** Makes requests until what one replica fetched is a hit for the other. */
  async function untilShared(from: RunningService, to: RunningService): Promise<void> {
    await eventually('a hit of the other replica', async () => {
      const request = freshRequest();
      await from.request(request);
      return cacheStatusOf(await to.request(request)).startsWith('hit');
    });
  }

  /** Valid responses, one after the other; one of them may have waited for Redis. */
  async function expectNoWait(service: RunningService): Promise<void> {
    const { reads } = vainWaits;
    for (let made = 0; made < REQUESTS; made += 1) {
      expectCached(await service.request(freshRequest()), 'fwd=miss');
    }
    expect(vainWaits.reads - reads).toBeLessThanOrEqual(1);
  }

  describe('what is shared', () => {
    it.each(OPERATIONS)('$name: what one replica fetched is a hit for another', async (operation) => {
      const [one, two] = await replicas.two(redis.url);
      const first = await one.request(operation.request);
      pass(5000);
      const second = await two.request(operation.request);
      expectCached(second, 'hit');
      expect([second.body, second.headers.etag]).toEqual([first.body, first.headers.etag]);
      expect(second.headers.link).toEqual(first.headers.link);
      expectCached(first, 'fwd=miss');
      expect(Number(second.headers.age)).toBeGreaterThanOrEqual(5);
      expect(replicas.upstream.calls).toHaveLength(1);
    });

    it('a 404 removes the entry for all replicas', async () => {
      const [one, two] = await replicas.two(redis.url);
      await one.request(BY_ID.request);
      pass(TTL_MS);
      replicas.upstream.respondWith(status(404));
      expectProblem(await one.request(BY_ID.request), 404);
      replicas.upstream.respondWith(status(500));
      expectProblem(await two.request(BY_ID.request), 500);
    });

    class OtherProtocol extends StandardProtocol {}
    it.each([
      ['D75', 'base URL', '/base', StandardProtocol],
      ['D36', 'protocol', '', OtherProtocol],
    ])('%s replicas with another %s share nothing', async (_, __, path, protocol) => {
      const changes = { EXTERNAL_SHIPPING_BASE_URL: replicas.upstream.url + path };
      const [one, two] = [await connected(), await connected(redis.url, changes, { protocol })];
      await one.request(DETAILS.request);
      expect(cacheStatusOf(await two.request(DETAILS.request))).toBe('fwd=miss');
    });

    it('D75 replicas share a coding, and the entry expires as before', async () => {
      replicas.upstream.respondWith(json(wireList([wireRecord({ ShippingAddress: 'Łódź'.repeat(20_000) })])));
      const [one, two] = await replicas.two(redis.url);
      const first = await one.request(DETAILS.request);
      const key = await theKey();
      const [bytes, left] = [await redis.inside.strlen(key), await redis.inside.pttl(key)];
      pass(1000);
      const coded = await one.request(DETAILS.request, { 'Accept-Encoding': 'gzip' });
      await eventually('the coding in Redis', async () => (await redis.inside.strlen(key)) > bytes);
      expect(await redis.inside.pttl(key)).toBeLessThanOrEqual(left - 1000);
      const compressed = compressions;
      const hit = await two.request(DETAILS.request, { 'Accept-Encoding': 'gzip' });
      expect([hit.bytes, decoded(hit), cacheStatusOf(hit)]).toEqual([coded.bytes, first.body, 'hit']);
      expect([compressions, compressed]).toEqual([1, 1]);
    });

    it('D13 entries expire, and their keys are digests, others for another release', async () => {
      replicas.upstream.respondWith(validResponse);
      await (await connected()).request('GetShippingInfoById/SHP-1');
      const scope = `${VERSION} ${replicas.upstream.url}/ ${StandardProtocol.name}`;
      const name = `${scope}\nby-id ["SHP-1",null,null]`;
      const key = await theKey();
      expect(key).toBe(KEYS.replace('*', hash('sha256', name, 'base64url')));
      const left = await redis.inside.pttl(key);
      expect(left).toBeGreaterThan(TTL_MS);
      expect(left).toBeLessThanOrEqual(TTL_MS + STALE_MS);
    });
  });

  describe('Redis that does not respond', () => {
    serviceTimeouts();

    it('hangs from the beginning: ready, and no request waits', async () => {
      const proxy = await TcpProxy.to(redis.port);
      proxy.delayMs = Infinity;
      const service = await replicas.start(proxy.url);
      expect((await service.get('/health/ready')).status).toBe(200);
      await expectNoWait(service);
      await proxy.close();
    });

    it.each([
      ['hangs', Infinity],
      ['slows down', 300],
    ])('%s while in use: one wait at most, and shared again', async (_, delayMs) => {
      const proxy = await TcpProxy.to(redis.port);
      const [one, two] = [await connected(proxy.url), await connected()];
      await untilShared(one, two);
      proxy.delayMs = delayMs;
      await expectNoWait(one);
      proxy.delayMs = 0;
      await untilShared(one, two);
      await untilShared(two, one);
      await proxy.close();
    });
  });

  describe('Redis that fails', () => {
    it('refuses connections: ready, no request waits; shared later', async () => {
      const late = await RedisServer.start();
      await late.kill();
      const [one, two] = [await replicas.start(late.url), await replicas.start(late.url)];
      expect((await one.get('/health/ready')).status).toBe(200);
      await expectNoWait(one);
      await eventually('a line of each replica', () => logged('Redis is unavailable: ECONNREFUSED'), 2);
      // For the alert: without a rate limit, no other metric shows that the cache is off.
      expect(await one.metric('shipping_redis_up')).toBe(0);
      await late.start();
      await untilShared(one, two);
      expect(await one.metric('shipping_redis_up')).toBe(1);
      await late.stop();
    });

    it('is full: entries are still read, failed writes are counted', async () => {
      const [one, two] = await replicas.two(redis.url);
      await one.request(DETAILS.request);
      await theKey();
      await redis.inside.config('SET', 'maxmemory-policy', 'noeviction');
      await redis.inside.config('SET', 'maxmemory', '1');
      await expectNoWait(one);
      // The last write may fail after its response has left.
      const failures = `shipping_cache_store_failures_total{failure="write"} ${REQUESTS}\n`;
      await eventually('the metric counts the failures', async () =>
        (await one.get('/metrics')).body.includes(failures),
      );
      expect(cacheStatusOf(await two.request(DETAILS.request))).toBe('hit');
      await redis.inside.config('SET', 'maxmemory', '0');
      await untilShared(one, two);
    });

    it('is killed and started: no request fails, and shared again', async () => {
      const [one, two] = await replicas.two(redis.url);
      await untilShared(one, two);
      const asking = new AbortController();
      const asked = (async () => {
        const responses: HttpResponse[] = [];
        while (!asking.signal.aborted) responses.push(await one.request(freshRequest()));
        return responses;
      })();
      await redis.kill();
      await expectNoWait(two);
      await eventually('lines that Redis is unavailable', () => logged('Redis is unavailable'), 2);
      await redis.start();
      await untilShared(one, two);
      await untilShared(two, one);
      asking.abort();
      for (const response of await asked) expectResponse(response, 'complete');
      expect([logged('Redis is unavailable'), logged('Redis is available')]).toEqual([2, 4]);
    });
  });
});
