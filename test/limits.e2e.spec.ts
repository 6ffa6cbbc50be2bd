import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expectAnswer, expectProblem } from './support/expectations';
import type { HttpResponse } from './support/http-client';
import { bearer, KeyServer } from './support/key-server';
import { BY_ID, DETAILS, OPERATIONS } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json, status as statusCode } from './support/upstream/responses';
import { holdWallClock } from './support/wall-clock';

const KEYS = ['first-key-0123456789', 'second-key-0123456789'];
const AUTH_API_KEYS_SHA256 = KEYS.map((key) => createHash('sha256').update(key).digest('hex')).join();
const LIMIT = { RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW_MS: '3600000' };

describe('rate limits', () => {
  let scripted: ScriptedService;
  afterEach(async () => {
    jest.useRealTimers();
    await scripted.close();
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    scripted = await startScriptedService({ ...LIMIT, ...env });
    scripted.upstream.respondWith(json());
  }
  const ask = (headers: Record<string, string> = {}, request = DETAILS.request): Promise<HttpResponse> =>
    scripted.service.request(request, headers);
  async function statuses(count: number, headers: Record<string, string> = {}): Promise<number[]> {
    const answers: number[] = [];
    for (let index = 0; index < count; index += 1) answers.push((await ask(headers)).status);
    return answers;
  }
  const remaining = ({ headers }: HttpResponse): number =>
    Number(/^"default";r=(\d+);t=[1-9]\d*$/.exec(String(headers.ratelimit))?.[1]);

  it('RATE_LIMIT_MAX requests of all operations are accepted; the next is 429 with Retry-After', async () => {
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

  it.each([
    ['60000', 60_000],
    ['1500, rounded up to whole seconds', 2_000],
  ])('a window of %s ms ends', async (RATE_LIMIT_WINDOW_MS, ms) => {
    holdWallClock();
    await start({ RATE_LIMIT_MAX: '1', RATE_LIMIT_WINDOW_MS: String(parseInt(RATE_LIMIT_WINDOW_MS)) });
    expect(await statuses(2)).toEqual([200, 429]);
    jest.setSystemTime(Date.now() + ms - 1);
    const refused = await ask();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    jest.setSystemTime(Date.now() + 1);
    const accepted = await ask();
    expect([accepted.status, accepted.headers['ratelimit-policy']]).toEqual([200, `"default";q=1;w=${ms / 1000}`]);
    expect(await statuses(1)).toEqual([429]);
  });

  it('only the operations are limited', async () => {
    await start();
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/nowhere']) {
      for (let index = 0; index < 6; index += 1) {
        const answer = await scripted.service.get(path);
        expect([answer.status, answer.headers.ratelimit]).toEqual([path === '/nowhere' ? 404 : 200, undefined]);
      }
    }
    expect(remaining(await ask())).toBe(4);
  });

  it.each(['GET', 'HEAD'])('D32 304 to %s counts', async (method) => {
    await start();
    const headers = { 'If-None-Match': String((await ask()).headers.etag) };
    for (const left of [3, 2, 1, 0]) {
      const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { method, headers });
      expect([answer.status, remaining(answer)]).toEqual([304, left]);
    }
    expect((await ask(headers)).status).toBe(429);
  });

  it('D32 client errors, 404s and 500s count; 429s do not count again', async () => {
    await start();
    expect((await ask({}, 'GetShippingDetails?Status=No')).status).toBe(400);
    expect((await ask({}, 'GetShippingSingle')).status).toBe(400);
    scripted.upstream.respondWith(statusCode(404));
    expect((await ask({}, BY_ID.request)).status).toBe(404);
    scripted.upstream.respondWith(statusCode(500));
    expect((await ask({}, BY_ID.request)).status).toBe(500);
    expect(remaining(await ask())).toBe(0);
    const refused = [await ask({}, 'GetShippingDetails?Status=No'), await ask(), await ask()];
    for (const answer of refused) {
      expectProblem(answer, 429, 'rate-limit-exceeded');
      expect(remaining(answer)).toBe(0);
    }
  });

  it('D32 other methods, paths that cannot be decoded and preflights do not count', async () => {
    await start({ RATE_LIMIT_MAX: '1', CORS_ORIGINS: 'https://page.example' });
    const path = `/api/Shipping/${DETAILS.request}`;
    const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' };
    for (let index = 0; index < 3; index += 1) {
      expect((await scripted.service.get(path, { method: 'POST' })).status).toBe(405);
      expect((await scripted.service.get(path, { method: 'OPTIONS', headers })).status).toBe(204);
      expect((await ask({}, 'GetShippingInfoById/%zz')).status).toBe(400);
    }
    const counted = await ask({ Origin: headers.Origin });
    expect(remaining(counted)).toBe(0);
    expect(counted.headers['access-control-expose-headers']).toMatch(/RateLimit, RateLimit-Policy/);
  });

  describe('by address', () => {
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

    it.each(['loopback', '10.0.0.0/8, 127.0.0.0/8'])('behind a trusted proxy (%s) each client has a limit of its own', async (TRUST_PROXY) => {
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

    it.each([
      ['192.0.2.1:555', '192.0.2.1', '192.0.2.2:555'],
      ['[2001:db8::1]:80', '2001:db8::9', '[2001:db8:0:1::1]:80'],
      ['[2001:db8::1]', '[2001:DB8::1]:443', '[2001:db8:0:1::1]'],
      ['[::ffff:192.0.2.1]:80', '192.0.2.1:81', '192.0.2.9:80'],
      ['192.0.2.1:555, 10.0.0.1:443', '192.0.2.1', '192.0.2.2:555, 10.0.0.1:443'],
    ])('D46 %s is the client %s, and %s another', async (first, same, other) => {
      await start({ TRUST_PROXY: 'loopback,10.0.0.0/8', RATE_LIMIT_MAX: '1' });
      expect((await ask(from(first))).status).toBe(200);
      expect((await ask(from(same))).status).toBe(429);
      expect((await ask(from(other))).status).toBe(200);
    });

    it.each([
      ['nonsense', {}],
      ['192.0.2.1, fe80::1%eth-0 x', {}],
      ['192.0.2.7, unknown, 10.0.0.1:80', from('10.0.0.1')],
    ])('D46 %s counts as the proxy that forwarded it', async (address, proxy) => {
      await start({ TRUST_PROXY: 'loopback,10.0.0.0/8', RATE_LIMIT_MAX: '2' });
      expect([(await ask(proxy)).status, (await ask(from(address))).status]).toEqual([200, 200]);
      expect([(await ask(proxy)).status, (await ask(from(address))).status]).toEqual([429, 429]);
    });

    it('D46 no X-Forwarded-For causes a 500', async () => {
      await start({ TRUST_PROXY: 'loopback,10.0.0.0/8', RATE_LIMIT_MAX: '100000' });
      const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)) });
      const address = fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.constant('10.0.0.1'));
      const port = fc.oneof(
        fc.constant(''),
        fc.nat().map((number) => `:${number}`),
      );
      const forwarded = fc.array(
        fc.tuple(address, port).map((both) => both.join('')),
        { minLength: 1, maxLength: 3 },
      );
      const property = fc.asyncProperty(forwarded, async (list) => {
        expect((await ask(from(list.join(', ')))).status).toBe(200);
      });
      await fc.assert(property, { numRuns: 100 });
    });
  });

  describe('by principal', () => {
    it('each key has a limit of its own at all addresses', async () => {
      await start({ AUTH_API_KEYS_SHA256, TRUST_PROXY: 'loopback' });
      const [first = '', second = ''] = KEYS;
      for (let index = 0; index < 5; index += 1) {
        expect((await ask({ 'X-API-Key': first, 'X-Forwarded-For': `192.0.2.${index}` })).status).toBe(200);
      }
      expectProblem(await ask({ 'X-API-Key': first }), 429, 'rate-limit-exceeded');
      expect((await ask({ 'X-API-Key': second })).status).toBe(200);
    });

    it('each subject has a limit of its own for all its tokens', async () => {
      const keyServer = await KeyServer.start();
      await start(keyServer.env);
      for (let index = 0; index < 5; index += 1) {
        expect((await ask(bearer(await keyServer.sign({ jti: String(index) })))).status).toBe(200);
      }
      expectProblem(await ask(bearer(await keyServer.sign())), 429, 'rate-limit-exceeded');
      expect((await ask(bearer(await keyServer.sign({ sub: 'other' })))).status).toBe(200);
      await keyServer.close();
    });

    it('failed authentications count by address, apart from accepted requests', async () => {
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

    it('refuses tokens before verification where the address has used up its failed authentications', async () => {
      const keyServer = await KeyServer.start();
      await start({ ...keyServer.env, TRUST_PROXY: 'loopback' });
      const known = bearer(await keyServer.sign());
      expect((await ask(known)).status).toBe(200);
      expect(await statuses(5, bearer('a.b.c'))).toEqual([401, 401, 401, 401, 401]);
      const valid = bearer(await keyServer.sign({ sub: 'other' }));
      for (const headers of [bearer('a.b.c'), valid, valid]) {
        const refused = await ask(headers);
        expectProblem(refused, 429, 'rate-limit-exceeded');
        expect([remaining(refused), refused.headers['retry-after']]).toEqual([0, expect.stringMatching(/^3\d{3}$/)]);
      }
      // No signature is verified for these.
      expect(remaining(await ask(known))).toBe(3);
      expect(remaining(await ask({ ...valid, 'X-Forwarded-For': '192.0.2.1' }))).toBe(4);
      expect(remaining(await ask(valid))).toBe(3);
      await keyServer.close();
    });

    it('a token without the scope counts for its subject, and one that cannot be verified for its address', async () => {
      holdWallClock();
      const keyServer = await KeyServer.start();
      await start({ ...keyServer.env, RATE_LIMIT_MAX: '1', AUTH_SCOPE: 'read' });
      expect(await statuses(2, bearer(await keyServer.sign()))).toEqual([403, 429]);
      expect(await statuses(1, bearer(await keyServer.sign({ sub: 'other' })))).toEqual([403]);
      await keyServer.rotate();
      jest.setSystemTime(Date.now() + 10_000);
      keyServer.misbehaviour = (response) => response.destroy();
      expect(await statuses(2, bearer(await keyServer.sign({ sub: 'third' })))).toEqual([503, 429]);
      expect(await statuses(1, bearer('a.b.c'))).toEqual([401]);
      await keyServer.close();
    });

    it('a window of failed authentications ends', async () => {
      holdWallClock();
      const keyServer = await KeyServer.start();
      await start({ ...keyServer.env, RATE_LIMIT_MAX: '1' });
      expect(await statuses(2, bearer('a.b.c'))).toEqual([401, 429]);
      jest.setSystemTime(Date.now() + 3_600_000);
      expect(await statuses(2, bearer('a.b.c'))).toEqual([401, 429]);
      await keyServer.close();
    });
  });
});
