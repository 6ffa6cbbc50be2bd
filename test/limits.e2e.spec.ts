import { createHash } from 'node:crypto';
import { expectAnswer, expectProblem } from './support/expectations';
import type { HttpAnswer } from './support/http-client';
import { bearer, KeyServer } from './support/key-server';
import { BY_ID, DETAILS, OPERATIONS, PAGED } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { delayed, json } from './support/upstream/answers';

const KEYS = ['first-key-0123456789', 'second-key-0123456789'];
const AUTH_API_KEYS_SHA256 = KEYS.map((key) => createHash('sha256').update(key).digest('hex')).join();
const LIMIT = { RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW_MS: '3600000' };

describe('rate limits', () => {
  let scripted: ScriptedService;
  afterEach(() => scripted.close());

  async function start(env: Record<string, string> = {}): Promise<void> {
    scripted = await startScriptedService({ ...LIMIT, ...env });
    scripted.upstream.respondWith(json());
  }
  const ask = (headers: Record<string, string> = {}, request = DETAILS.request): Promise<HttpAnswer> =>
    scripted.service.ask(request, headers);
  async function statuses(count: number, headers: Record<string, string> = {}): Promise<number[]> {
    const answers: number[] = [];
    for (let index = 0; index < count; index += 1) answers.push((await ask(headers)).status);
    return answers;
  }
  const remaining = ({ headers }: HttpAnswer): number =>
    Number(/^"default";r=(\d+);t=[1-9]\d*$/.exec(String(headers.ratelimit))?.[1]);

  it('so many requests are answered, whatever they ask; the next gets 429 and is told when to come back', async () => {
    await start();
    for (const [index, operation] of [...OPERATIONS, DETAILS].entries()) {
      const answer = await ask({}, operation.request);
      expectAnswer(operation, answer, 'complete');
      expect(answer.headers['ratelimit-policy']).toBe('"default";q=5;w=3600');
      expect(remaining(answer)).toBe(4 - index);
    }
    const calls = scripted.upstream.calls.length;
    const refused = await ask();
    expectProblem(refused, 429, 'rate-limit-exceeded');
    expect(remaining(refused)).toBe(0);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(3500);
    expect(seconds).toBeLessThanOrEqual(3600);
    expect(refused.headers.ratelimit).toBe(`"default";r=0;t=${seconds}`);
    expect(scripted.upstream.calls).toHaveLength(calls);
  });

  it('a window ends', async () => {
    await start({ RATE_LIMIT_MAX: '1', RATE_LIMIT_WINDOW_MS: '1000' });
    expect((await ask()).status).toBe(200);
    const deadline = performance.now() + 5_000;
    while ((await ask()).status !== 200) expect(performance.now()).toBeLessThan(deadline);
  });

  it('many at the same time: no more than the limit are answered', async () => {
    await start();
    scripted.upstream.respondWith(delayed(50));
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45);
  });

  it.each(['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/nowhere'])(
    '%s is not limited and not counted',
    async (path) => {
      await start();
      for (let index = 0; index < 10; index += 1) {
        const answer = await scripted.service.get(path);
        expect([answer.status, answer.headers.ratelimit]).toEqual([path === '/nowhere' ? 404 : 200, undefined]);
      }
      expect(remaining(await ask())).toBe(4);
    },
  );

  it.each(['GET', 'HEAD'])('304 to %s is not counted, and says so', async (method) => {
    await start();
    const tag = String((await ask()).headers.etag);
    const headers = { 'If-None-Match': tag };
    for (let index = 0; index < 20; index += 1) {
      const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { method, headers });
      expect([answer.status, remaining(answer)]).toEqual([304, 4]);
    }
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429]);
  });

  it('304s at the same time are not counted: all of the limit is there afterwards', async () => {
    await start({ RATE_LIMIT_MAX: '30' });
    const tag = String((await ask()).headers.etag);
    const answers = await Promise.all(Array.from({ length: 29 }, () => ask({ 'If-None-Match': tag })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([304]));
    expect(remaining(await ask())).toBe(28);
  });

  it('what is no 304 is counted: bad requests, other methods, other tags', async () => {
    await start();
    expect((await ask({}, 'GetShippingDetails?Status=No')).status).toBe(400);
    expect((await scripted.service.get(`/api/Shipping/${PAGED.request}`, { method: 'POST' })).status).toBe(405);
    expect((await ask({ 'If-None-Match': '"other"' })).status).toBe(200);
    expect((await ask({}, 'GetShippingInfoById/%zz')).status).toBe(400);
    expect(remaining(await ask())).toBe(0);
    expectProblem(await ask({}, 'GetShippingDetails?Status=No'), 429);
    const unroutable = await ask({}, 'GetShippingInfoById/%zz');
    expectProblem(unroutable, 429);
    expect(unroutable.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });

  it('preflights are not counted, and pages may read what is left', async () => {
    await start({ CORS_ORIGINS: 'https://page.example' });
    const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' };
    for (let index = 0; index < 10; index += 1) {
      const answer = await scripted.service.get(`/api/Shipping/${BY_ID.request}`, { method: 'OPTIONS', headers });
      expect(answer.status).toBe(204);
    }
    const answer = await ask({ Origin: headers.Origin });
    expect([remaining(answer), answer.headers['access-control-expose-headers']]).toEqual([4, expect.stringMatching(/RateLimit, RateLimit-Policy/)]); // prettier-ignore
  });

  describe('by address', () => {
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

    it('what a client says of its address counts for nothing where no proxy is trusted', async () => {
      await start();
      for (let index = 0; index < 5; index += 1) expect((await ask(from(`192.0.2.${index}`))).status).toBe(200);
      expect((await ask(from('192.0.2.9'))).status).toBe(429);
    });

    it('behind a trusted proxy paths that cannot be decoded count for the client who sent them', async () => {
      await start({ TRUST_PROXY: 'loopback', RATE_LIMIT_MAX: '2' });
      const broken = (address: string): Promise<HttpAnswer> =>
        scripted.service.ask('GetShippingInfoById/%zz', { 'X-Forwarded-For': address });
      for (const status of [400, 400, 429]) expect((await broken('192.0.2.1')).status).toBe(status);
      expect((await broken('192.0.2.2')).status).toBe(400);
      expect((await ask({ 'X-Forwarded-For': '192.0.2.1' })).status).toBe(429);
      expect((await ask({ 'X-Forwarded-For': '192.0.2.2' })).status).toBe(200);
    });

    it.each(['127.0.0.1', 'loopback', '10.0.0.0/8, 127.0.0.0/8'])('behind a trusted proxy (%s) each client has its own', async (TRUST_PROXY) => {
      await start({ TRUST_PROXY });
      expect(await statuses(6, from('192.0.2.1'))).toEqual([200, 200, 200, 200, 200, 429]);
      expect((await ask(from('192.0.2.2'))).status).toBe(200);
      // What a client puts in front is not what the proxy has seen.
      expect((await ask(from('192.0.2.7, 192.0.2.1'))).status).toBe(429);
    }); // prettier-ignore

    it('a proxy that is not trusted is the client', async () => {
      await start({ TRUST_PROXY: '10.0.0.1' });
      for (let index = 0; index < 5; index += 1) expect((await ask(from(`192.0.2.${index}`))).status).toBe(200);
      expect((await ask(from('192.0.2.9'))).status).toBe(429);
    });

    it('IPv6 by network, IPv4 in IPv6 as IPv4', async () => {
      await start({ TRUST_PROXY: 'loopback' });
      const sixes = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:DB8:1:2::3', '2001:db8:1:2:0:0:0:4'];
      for (const address of [...sixes, '2001:db8:1:2::']) expect((await ask(from(address))).status).toBe(200);
      expect((await ask(from('2001:db8:1:2::6'))).status).toBe(429);
      expect((await ask(from('2001:db8:1:3::1'))).status).toBe(200);
      await statuses(5, from('192.0.2.1'));
      expect((await ask(from('::ffff:192.0.2.1'))).status).toBe(429);
    });

    it.each(['nonsense', '1.2.3', 'x'.repeat(50), '::ffff:999.1.1.1', 'fe80::1%eth0', '[::1]:80', '192.0.2.1:80', ',', ' '])(
      'an address that is none (%j) breaks nothing',
      async (address) => {
        await start({ TRUST_PROXY: 'loopback' });
        expect((await ask(from(address))).status).toBe(200);
      },
    ); // prettier-ignore
  });

  describe('by caller', () => {
    it('each key has its own, wherever it is used', async () => {
      await start({ AUTH_API_KEYS_SHA256, TRUST_PROXY: 'loopback' });
      const [first = '', second = ''] = KEYS;
      for (let index = 0; index < 5; index += 1) {
        expect((await ask({ 'X-API-Key': first, 'X-Forwarded-For': `192.0.2.${index}` })).status).toBe(200);
      }
      expectProblem(await ask({ 'X-API-Key': first }), 429, 'rate-limit-exceeded');
      expect((await ask({ 'X-API-Key': second })).status).toBe(200);
    });

    it('each subject has its own, whatever its tokens', async () => {
      const keyServer = await KeyServer.start();
      await start(keyServer.env);
      for (let index = 0; index < 5; index += 1) {
        expect((await ask(bearer(await keyServer.sign({ jti: String(index) })))).status).toBe(200);
      }
      expectProblem(await ask(bearer(await keyServer.sign())), 429, 'rate-limit-exceeded');
      expect((await ask(bearer(await keyServer.sign({ sub: 'other' })))).status).toBe(200);
      await keyServer.close();
    });

    it('who is refused is counted by address, and takes nothing from those who are known', async () => {
      await start({ AUTH_API_KEYS_SHA256, TRUST_PROXY: 'loopback' });
      const guess = { 'X-API-Key': 'guess' };
      expect(await statuses(3, guess)).toEqual([401, 401, 401]);
      expect(await statuses(3)).toEqual([401, 401, 429]);
      const refused = await ask(guess);
      expectProblem(refused, 429, 'rate-limit-exceeded');
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect((await ask({ ...guess, 'X-Forwarded-For': '192.0.2.1' })).status).toBe(401);
      expect((await ask({ 'X-API-Key': KEYS[0] ?? '' })).status).toBe(200);
    });
  });
});
