import { Redis } from 'ioredis';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expectAnswer, expectProblem } from '../support/expectations';
import type { HttpAnswer } from '../support/http-client';
import { DETAILS, eventually } from '../support/operations';
import { RunningService } from '../support/service';
import { json } from '../support/upstream/answers';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { RedisServer } from './support/redis-server';

const TOLD = ['Redis is lost: requests are not limited', 'Requests are limited again'];
/** What Redis may cost one request; the rest is room for a busy machine, where answers take longer anyway. */
const REDIS_COST_MS = 75;
const ROOM_MS = 150;

jest.setTimeout(30_000);

describe('rate limits shared through Redis', () => {
  let redis: RedisServer;
  let upstream: ScriptedUpstream;
  const replicas: RunningService[] = [];

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
    upstream.respondWith(json());
  });
  afterAll(() => upstream.close());
  beforeEach(async () => {
    redis = await RedisServer.start();
  });
  afterEach(async () => {
    redis.resume();
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
    await redis.stop();
  });

  async function replica(env: Record<string, string> = {}): Promise<RunningService> {
    const service = await RunningService.start({
      EXTERNAL_SHIPPING_BASE_URL: upstream.url,
      RATE_LIMIT_MAX: '10',
      RATE_LIMIT_WINDOW_MS: '3600000',
      REDIS_URL: redis.url,
      ...env,
    });
    replicas.push(service);
    return service;
  }
  const ask = (service: RunningService, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
    service.ask(DETAILS.request, headers);
  const remaining = ({ headers }: HttpAnswer): number =>
    Number(/^"default";r=(\d+);t=[1-9]\d*$/.exec(String(headers.ratelimit))?.[1]);
  const isLimited = ({ headers }: HttpAnswer): boolean => headers.ratelimit !== undefined;
  const messages = (service: RunningService): string[] =>
    service.log
      .map((line) => String((JSON.parse(line) as { msg: unknown }).msg))
      .filter((msg) => msg.includes('limited'));

  /** Asks until Redis counts; the requests that it takes are as many as it has counted, one. */
  async function untilLimited(service: RunningService): Promise<HttpAnswer> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const answer = await ask(service);
      if (isLimited(answer)) return answer;
      if (performance.now() > deadline) throw new Error('Redis is not used');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** How many requests were not limited, as the metrics have it. */
  async function unlimited(service: RunningService): Promise<number> {
    const { body } = await service.get('/metrics');
    return Number(/^shipping_guard_failures_total\{failure="limit"\} (\d+)$/m.exec(body)?.[1]);
  }

  /** What is told from now on. Before it, the first requests may have come sooner than the first connection. */
  function toldFromNow(service: RunningService): () => string[] {
    const before = messages(service).length;
    return () => messages(service).slice(before);
  }

  /** A machine that is held up may make Redis miss its 75 ms once more; what is told follows all the same. */
  function expectBack(told: string[]): void {
    expect(told).toEqual(told.map((_, index) => TOLD[index % 2]));
    expect(told.at(-1)).toBe(TOLD[1]);
  }

  async function timed(service: RunningService): Promise<{ answer: HttpAnswer; ms: number }> {
    const start = performance.now();
    const answer = await ask(service);
    return { answer, ms: performance.now() - start };
  }

  it('replicas count together, at the same time or not', async () => {
    const services = await Promise.all([replica(), replica(), replica()]);
    const [first, ...others] = services;
    expect(remaining(await untilLimited(first))).toBe(9);
    expect(remaining(await untilLimited(first))).toBe(8);
    for (const [index, other] of others.entries()) expect(remaining(await untilLimited(other))).toBe(7 - index);
    const answers = await Promise.all(services.flatMap((service) => Array.from({ length: 20 }, () => ask(service))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(54);
    for (const answer of refused) expectProblem(answer, 429, 'rate-limit-exceeded');
    expect(refused[0]?.headers['retry-after']).toMatch(/^3\d{3}$/);
  });

  it('304s are not counted, at the same time and on several replicas', async () => {
    const services = await Promise.all([replica({ RATE_LIMIT_MAX: '50' }), replica({ RATE_LIMIT_MAX: '50' })]);
    const [first, second] = services;
    const tag = String((await untilLimited(first)).headers.etag);
    await untilLimited(second);
    const headers = { 'If-None-Match': tag };
    const answers = await Promise.all(
      services.flatMap((service) => Array.from({ length: 20 }, () => ask(service, headers))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([304]));
    expect(remaining(await ask(first))).toBe(47);
    expect(remaining(await ask(second))).toBe(46);
    expect(remaining(await ask(second, headers))).toBe(46);
  });

  it('a window ends, and what is given back late is not added to the next', async () => {
    const service = await replica({ RATE_LIMIT_MAX: '1', RATE_LIMIT_WINDOW_MS: '1000' });
    const first = await untilLimited(service);
    const headers = { 'If-None-Match': String(first.headers.etag) };
    await until(
      () => ask(service),
      ({ status }) => status === 200,
    );
    await until(
      () => ask(service, headers),
      ({ status }) => status === 304,
    );
    expect((await ask(service)).status).toBe(200);
    expect((await ask(service)).status).toBe(429);
  });

  async function until(act: () => Promise<HttpAnswer>, holds: (answer: HttpAnswer) => boolean): Promise<void> {
    const deadline = performance.now() + 5_000;
    while (!holds(await act())) expect(performance.now()).toBeLessThan(deadline);
  }

  it('neither addresses nor keys stand in Redis, and nothing stays for good', async () => {
    const service = await replica({ TRUST_PROXY: 'loopback' });
    await untilLimited(service);
    await ask(service, { 'X-Forwarded-For': '192.0.2.77' });
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    expect(keys.every((key) => key.startsWith('shipping-query-service:rate-limit:'))).toBe(true);
    expect(keys.join()).not.toMatch(/192\.0\.2|127\.0\.0/);
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0);
    client.disconnect();
  });

  it('Redis killed: no limit and no outage, told once; back, and there is the limit again, told once', async () => {
    const service = await replica({ RATE_LIMIT_MAX: '1' });
    await untilLimited(service);
    expect((await ask(service)).status).toBe(429);
    const told = toldFromNow(service);
    const before = await unlimited(service);
    await redis.kill();
    for (let index = 0; index < 20; index += 1) {
      const { answer, ms } = await timed(service);
      expectAnswer(DETAILS, answer, 'complete');
      expect(isLimited(answer)).toBe(false);
      expect(ms).toBeLessThan(REDIS_COST_MS + ROOM_MS);
    }
    expect(told()).toEqual(TOLD.slice(0, 1));
    expect(await unlimited(service)).toBe(before + 20);
    await redis.start();
    await untilLimited(service);
    await until(
      () => ask(service),
      ({ status }) => status === 429,
    );
    expectBack(told());
  });

  it('Redis hangs: the requests of that moment wait 75 ms, later ones not at all; it comes back by itself', async () => {
    const service = await replica({ RATE_LIMIT_MAX: '100000' });
    await untilLimited(service);
    const told = toldFromNow(service);
    redis.hang();
    const first = await Promise.all(Array.from({ length: 10 }, () => timed(service)));
    for (const { answer, ms } of first) {
      expectAnswer(DETAILS, answer, 'complete');
      expect(ms).toBeLessThan(REDIS_COST_MS + ROOM_MS);
    }
    let total = 0;
    for (let index = 0; index < 50; index += 1) {
      const { answer, ms } = await timed(service);
      expect([answer.status, isLimited(answer)]).toEqual([200, false]);
      total += ms;
    }
    // Had each waited, it would be 3.5 seconds.
    expect(total).toBeLessThan(1_500);
    expect(told()).toEqual(TOLD.slice(0, 1));
    redis.resume();
    await untilLimited(service);
    expectBack(told());
  });

  it('Redis hangs for longer than its connection is kept: it comes back all the same', async () => {
    const service = await replica({ RATE_LIMIT_MAX: '100000' });
    await untilLimited(service);
    const told = toldFromNow(service);
    redis.hang();
    await ask(service);
    await new Promise((resolve) => setTimeout(resolve, 6_500));
    expect(isLimited(await ask(service))).toBe(false);
    redis.resume();
    await untilLimited(service);
    expectBack(told());
  });

  it('Redis is slow: as if it were not there', async () => {
    const slow = await SlowProxy.start(redis.port, 300);
    const service = await replica({ REDIS_URL: `redis://127.0.0.1:${slow.port}` });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (let index = 0; index < 20; index += 1) {
      const { answer, ms } = await timed(service);
      expect([answer.status, isLimited(answer)]).toEqual([200, false]);
      expect(ms).toBeLessThan(REDIS_COST_MS + ROOM_MS);
    }
    expect(messages(service).length).toBeLessThanOrEqual(1);
    await service.close();
    replicas.splice(0);
    slow.close();
  });

  it('Redis is full: no limit, told once', async () => {
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory', '1');
    const service = await replica({ RATE_LIMIT_MAX: '1' });
    const deadline = performance.now() + 5_000;
    while (messages(service).length === 0) {
      expect((await ask(service)).status).toBe(200);
      expect(performance.now()).toBeLessThan(deadline);
    }
    for (let index = 0; index < 20; index += 1) expect((await ask(service)).status).toBe(200);
    expect(messages(service)).toEqual(TOLD.slice(0, 1));
    await client.config('SET', 'maxmemory', '0');
    await untilLimited(service);
    expect((await ask(service)).status).toBe(429);
    client.disconnect();
  });

  it('somebody else wrote at its key: no limit for that caller, no outage', async () => {
    const service = await replica();
    await untilLimited(service);
    const client = new Redis(redis.url);
    const [key = ''] = await client.keys('*');
    await client.set(key, 'something else', 'PX', 60_000);
    const answer = await ask(service);
    expect([answer.status, isLimited(answer)]).toEqual([200, false]);
    client.disconnect();
  });

  it.each([
    ['is not there', async () => { await redis.kill(); return redis.url; }],
    ['wants a password that is not given', async () => { await password(); return redis.url; }],
    ['wants another password', async () => { await password(); return redis.url.replace('//', '//:wrong-secret@'); }],
  ] as const)('starts and answers where Redis %s', async (_, prepare) => {
    const service = await replica({ REDIS_URL: await prepare() });
    for (let index = 0; index < 5; index += 1) {
      const answer = await ask(service);
      expect([answer.status, isLimited(answer)]).toEqual([200, false]);
    }
    await eventually(() => messages(service).length === 1);
    expect(service.log.join('\n')).not.toContain('secret');
  }); // prettier-ignore

  it('a password and a database of the URL are used', async () => {
    await password();
    const service = await replica({ REDIS_URL: `${redis.url.replace('//', '//:right-secret@')}/3` });
    await untilLimited(service);
    const client = new Redis(`${redis.url.replace('//', '//:right-secret@')}/3`);
    expect(await client.dbsize()).toBe(1);
    client.disconnect();
    expect(service.log.join('\n')).not.toContain('secret');
  });

  async function password(): Promise<void> {
    const client = new Redis(redis.url);
    await client.config('SET', 'requirepass', 'right-secret');
    client.disconnect();
  }
});

/** Carries bytes to a port and back, each way late. */
class SlowProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(target: number, delayMs: number): Promise<SlowProxy> {
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [from, to] of [[near, far], [far, near]] as const) {
        proxy.sockets.add(from);
        from.on('data', (data) => setTimeout(() => to.writable && to.write(data), delayMs));
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    }); // prettier-ignore
    const proxy = new SlowProxy(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}
