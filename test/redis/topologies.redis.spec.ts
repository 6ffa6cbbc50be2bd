import { eventually } from '../../testing/upstream/eventually';
import { cacheStatusOf, expectResponse, remaining } from '../support/expected';
import { DETAILS } from '../support/operations';
import { read } from '../support/read';
import { type HttpResponse, RunningService } from '../support/service';
import { RedisCluster } from './support/redis-cluster';
import { RedisServer } from './support/redis-server';
import { freshRequest, useReplicas } from './support/replicas';
import { TcpProxy } from './support/tcp-proxy';

jest.mock('ioredis', () => jest.requireActual<object>('./support/patient-redis'));

const KEYS = 'shipping-query-service:*';

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

const logged = (): string[] => all.logged();
const isHit = (response: HttpResponse): boolean => cacheStatusOf(response).startsWith('hit');

/** Makes requests until the second replica serves what the first has fetched, and counts on where the first has ended. */
async function expectShared([one, two]: [RunningService, RunningService]): Promise<void> {
  await eventually('the replicas share one cache and one count', async () => {
    const request = freshRequest();
    const first = await one.request(request);
    const second = await two.request(request);
    expectResponse(first, 'complete');
    expectResponse(second, 'complete');
    return isHit(second) && remaining(second) === remaining(first) - 1;
  });
}

it('D75 after a failover, connects to the new primary', async () => {
  const [old, next] = [await running(RedisServer.start()), await running(RedisServer.start())];
  await next.inside.replicaof('127.0.0.1', old.port);
  await eventually('the replica follows its master', async () =>
    (await next.inside.info('replication')).includes('master_link_status:up'),
  );
  const name = await TcpProxy.to(old.port);
  const replicas = await all.two(name.url);
  await expectShared(replicas);
  await next.inside.replicaof('NO', 'ONE');
  await old.inside.replicaof('127.0.0.1', next.port);
  name.target = next.port;
  await next.inside.flushall();
  await expectShared(replicas);
  expect((await next.inside.keys(KEYS)).length).toBeGreaterThanOrEqual(2);
  expect(name.connections).toBe(4);
  const lines = ['Redis is available', 'Redis refuses commands: READONLY', 'Redis is unavailable: connection closed'];
  expect(new Set(logged())).toEqual(new Set(lines));
  await name.close();
});

it('D75 the permissions of the page are enough, in another database', async () => {
  const page = read('docs/production.md');
  const [, needed = '', database = ''] =
    /needs `(\+getrange [^`]+)`.*; for a database in the URL also `([^`]+)`/.exec(page) ?? [];
  const redis = await running(RedisServer.start());
  const permissions = [...needed.split(' '), ...database.split(' ')].filter(Boolean);
  await redis.inside.acl('SETUSER', 'app', 'on', '>word', '~shipping-query-service:*', ...permissions);
  await expectShared(await all.two(`${redis.url.replace('//', '//app:word@')}/1`));
  expect(logged()).toEqual(['Redis is available', 'Redis is available']);
});

describe('a Redis Cluster', () => {
  it('D75 cache and limits are shared through a failover', async () => {
    const cluster = await running(RedisCluster.start('w,rd'));
    const replicas = await all.two(cluster.url(':w%2Crd@'));
    for (let times = 0; times < 10; times += 1) await expectShared(replicas);
    await cluster.servers[0]?.kill();
    for (let times = 0; times < 20; times += 1) expectResponse(await replicas[0].request(freshRequest()), 'complete');
    await cluster.inOrder(cluster.servers.slice(3));
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
});
