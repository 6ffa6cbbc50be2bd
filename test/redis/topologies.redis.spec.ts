import { eventually } from '../../testing/upstream/eventually';
import { DETAILS, expectAnswer } from '../support/operations';
import { type HttpResponse, RunningService } from '../support/service';
import { RedisCluster } from './support/redis-cluster';
import { RedisServer } from './support/redis-server';
import { cacheStatusOf, freshRequest, remaining, useReplicas } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

jest.mock('ioredis', () => jest.requireActual<object>('./support/patient-redis'));

const KEYS = 'shipping-query-service:*';

describe('Redis as operators run it', () => {
  const LIMIT = { RATE_LIMIT_MAX: '100000', RATE_LIMIT_WINDOW_MS: '3600000' };
  const all = useReplicas({ CACHE_TTL_MS: '3600000', ...LIMIT });
  const servers: { stop(): Promise<void> }[] = [];
  let console_: jest.SpyInstance[];

  beforeEach(() => {
    console_ = (['log', 'warn', 'error'] as const).map((name) => jest.spyOn(console, name).mockReturnValue(undefined));
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    expect(console_.flatMap((spy) => spy.mock.calls as unknown[])).toEqual([]);
  });

  async function running<T extends { stop(): Promise<void> }>(server: Promise<T>): Promise<T> {
    servers.push(await server);
    return server;
  }

  /** Two replicas that have reached Redis. */
  const connected = async (url: string): Promise<[RunningService, RunningService]> => {
    return [await all.connected(url), await all.connected(url)];
  };
  const logged = (): string[] => all.logged();
  const isHit = (response: HttpResponse): boolean => cacheStatusOf(response).startsWith('hit');

  /** Makes requests until the second replica serves what the first has fetched, and counts on where the first has ended. */
  async function expectShared([one, two]: [RunningService, RunningService]): Promise<void> {
    await eventually('the replicas share one cache and one count', async () => {
      const request = freshRequest();
      const first = await one.request(request);
      const second = await two.request(request);
      expectAnswer(first, 'complete');
      expectAnswer(second, 'complete');
      return isHit(second) && remaining(second) === remaining(first) - 1;
    });
  }

  it('D75 after a failover behind a name, connects anew to the new primary', async () => {
    const [old, next] = [await running(RedisServer.start()), await running(RedisServer.start())];
    await next.inside.replicaof('127.0.0.1', old.port);
    await eventually('the replica follows its master', async () =>
      (await next.inside.info('replication')).includes('master_link_status:up'),
    );
    const name = await TcpProxy.to(old.port);
    const replicas = await connected(name.url);
    await expectShared(replicas);
    await next.inside.replicaof('NO', 'ONE');
    await old.inside.replicaof('127.0.0.1', next.port);
    name.target = next.port;
    await next.inside.flushall();
    await expectShared(replicas);
    expect((await next.inside.keys(KEYS)).length).toBeGreaterThanOrEqual(2);
    expect(name.connections).toBe(4);
    expect(new Set(logged())).toEqual(new Set(['Redis is available', 'Redis refuses commands: READONLY']));
    await name.close();
  });

  it('D75 a database that cannot be selected is refused, and database 0 stays empty', async () => {
    const redis = await running(RedisServer.start(undefined, '--databases', '2'));
    const service = await all.start(`${redis.url}/2`);
    await eventually('lines of this kind', () => logged().length, Boolean);
    for (const left of [99_999, 99_998, 99_997]) {
      const response = await service.request(DETAILS.request);
      expectAnswer(response, 'complete');
      expect([isHit(response), remaining(response)]).toEqual([false, left]);
    }
    expect(await redis.inside.keys('*')).toEqual([]);
    expect(logged()).toEqual(['Redis is unavailable: database 2 cannot be selected (ERR)']);
    await expectShared(await connected(`${redis.url}/1`));
  });

  it.each([
    ['without what the service needs: each request is served', '+get', ['Redis refuses commands: NOPERM']],
    ['with nothing but what the service needs', '+getrange +set +del +evalsha +eval +incrby +pttl +expire', []],
  ])('D81 a user %s', async (_, permissions, refusals) => {
    const redis = await running(RedisServer.start());
    await redis.inside.acl('SETUSER', 'app', 'on', '>word', '~*', ...permissions.split(' '));
    const replicas = await connected(redis.url.replace('//', '//app:word@'));
    if (refusals.length === 0) await expectShared(replicas);
    for (let index = 0; index < 5; index += 1) expectAnswer(await replicas[0].request(freshRequest()), 'complete');
    expect(logged().slice(2)).toEqual(refusals);
  });

  it('D75 a foreign entry under the key of a result is a miss, and replaced', async () => {
    const redis = await running(RedisServer.start());
    const [one, two] = await connected(redis.url);
    await one.request(DETAILS.request);
    const cache = 'shipping-query-service:cache:*';
    await eventually('entries of the cache in Redis', async () => (await redis.inside.keys(cache)).length, 1);
    const [key = ''] = await redis.inside.keys(cache);
    await redis.inside.del(key);
    await redis.inside.rpush(key, 'a list');
    const response = await two.request(DETAILS.request);
    expectAnswer(response, 'complete');
    expect([isHit(response), logged().slice(2)]).toEqual([false, ['Redis refuses commands: WRONGTYPE']]);
    await eventually('a hit of the cache', async () => isHit(await one.request(DETAILS.request)));
  });

  describe('a Redis Cluster', () => {
    it('D75 cache and limits are shared, also through the failover of a node', async () => {
      const cluster = await running(RedisCluster.start('w,rd'));
      const replicas = await connected(cluster.url(':w%2Crd@'));
      for (let times = 0; times < 10; times += 1) await expectShared(replicas);
      await cluster.servers[0]?.kill();
      for (let times = 0; times < 20; times += 1) expectAnswer(await replicas[0].request(freshRequest()), 'complete');
      for (const { inside } of cluster.servers.slice(3)) {
        await eventually('the cluster is in order', async () =>
          (await inside.cluster('INFO')).includes('cluster_state:ok'),
        );
      }
      for (let times = 0; times < 10; times += 1) await expectShared(replicas);
      expect(logged().join()).not.toMatch(/w,rd|WRONGPASS/);
    });

    it('D76 failed authentications are counted together', async () => {
      const cluster = await running(RedisCluster.start());
      const url = cluster.url();
      const access = { AUTH_API_KEYS_SHA256: 'ab'.repeat(32), RATE_LIMIT_MAX: '2' };
      const replicas = [await all.start(url, access), await all.start(url, access)];
      await eventually('lines of this kind', () => logged().length, 2);
      const statuses: number[] = [];
      for (const service of [...replicas, ...replicas]) statuses.push((await service.request(DETAILS.request)).status);
      expect(statuses).toEqual([401, 401, 429, 429]);
    });

    it('D81 one of its nodes alone is no Redis: the log has the redirection', async () => {
      const cluster = await running(RedisCluster.start());
      const service = await all.start(cluster.servers[0]?.url ?? '');
      await eventually('lines of this kind', () => logged().length, 1);
      for (let times = 0; times < 20; times += 1) expectAnswer(await service.request(freshRequest()), 'complete');
      expect(logged()).toEqual(['Redis is available', 'Redis refuses commands: MOVED']);
    });
  });
});
