import { bearer, KeyServer } from '../../testing/key-server';
import { status as statusCode } from '../../testing/upstream/responses';
import { expectProblem, expectResponse, remaining } from '../support/expected';
import { BY_ID, DETAILS, OPERATIONS } from '../support/operations';
import { type HttpResponse, type ScriptedService, useScriptedService, useStart } from '../support/service';
import { useStarted } from '../support/started';
import { useHeldDate } from '../support/wall-clock';
import { digestOf } from './access';

const KEYS = ['first-key-0123456789', 'second-key-0123456789'] as const;
const AUTH_API_KEYS_SHA256 = KEYS.map(digestOf).join();
const LIMIT = { RATE_LIMIT_MAX: '5', RATE_LIMIT_WINDOW_MS: '3600000' };
const PATH = `/api/Shipping/${DETAILS.request}`;

const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });

describe('D32 rate limits', () => {
  let scripted: ScriptedService;
  const keyServer = useStarted(() => KeyServer.start());
  const startService = useStart(LIMIT);
  const holdDate = useHeldDate();

  async function start(env: Record<string, string> = {}): Promise<void> {
    scripted = await startService(env);
  }
  const ask = (headers: Record<string, string> = {}, request = DETAILS.request): Promise<HttpResponse> =>
    scripted.service.request(request, headers);
  async function statuses(count: number, headers: Record<string, string> = {}): Promise<number[]> {
    const codes: number[] = [];
    for (let index = 0; index < count; index += 1) codes.push((await ask(headers)).status);
    return codes;
  }

  it('the request after RATE_LIMIT_MAX is 429 with Retry-After', async () => {
    await start();
    for (const [index, operation] of [...OPERATIONS, DETAILS].entries()) {
      const response = await ask({}, operation.request);
      expectResponse(response, 'complete');
      expect(response.headers['ratelimit-policy']).toBe('"default";q=5;w=3600');
      expect(remaining(response)).toBe(4 - index);
    }
    const calls = scripted.upstream.calls.length;
    const refused = await ask();
    expectProblem(refused, 429, 'rate-limit-exceeded');
    expect(refused.headers['retry-after']).toMatch(/^3[56]\d\d$/);
    expect(refused.headers.ratelimit).toBe(`"default";r=0;t=${String(refused.headers['retry-after'])}`);
    expect(scripted.upstream.calls).toHaveLength(calls);
  });

  it('only requests that reach an operation count', async () => {
    await start({ DOCS: 'on', RATE_LIMIT_MAX: '1', CORS_ORIGINS: 'https://page.example' });
    const headers = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'GET' };
    for (let index = 0; index < 2; index += 1) {
      for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json']) {
        const response = await scripted.service.get(path);
        expect([response.status, response.headers.ratelimit]).toEqual([200, undefined]);
      }
      expect((await scripted.service.get('/nowhere')).status).toBe(404);
      expect((await scripted.service.get(PATH, { method: 'POST' })).status).toBe(405);
      expect((await scripted.service.get(PATH, { method: 'OPTIONS', headers })).status).toBe(204);
      expect((await ask({}, 'GetShippingInfoById/%zz')).status).toBe(400);
    }
    // Browsers hide a refusal without this header from a page of another origin.
    const refused = await ask({ Origin: headers.Origin }, 'GetShippingInfoById/%zz');
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([400, headers.Origin]);
    const counted = await ask({ Origin: headers.Origin });
    expect([counted.status, remaining(counted)]).toEqual([200, 0]);
    expect(counted.headers['access-control-expose-headers']).toMatch(/RateLimit, RateLimit-Policy/);
  });

  it.each(['GET', 'HEAD'])('304 to %s counts', async (method) => {
    await start();
    const headers = { 'If-None-Match': String((await ask()).headers.etag) };
    for (const left of [3, 2, 1, 0]) {
      const response = await scripted.service.get(PATH, { method, headers });
      expect([response.status, remaining(response)]).toEqual([304, left]);
    }
    expect((await ask(headers)).status).toBe(429);
  });

  it('client errors, 404s and 500s count; 429s do not count again', async () => {
    await start({ RATE_LIMIT_MAX: '3' });
    expect((await ask({}, 'GetShippingDetails?Status=No')).status).toBe(400);
    for (const code of [404, 500]) {
      scripted.upstream.respondWith(statusCode(code));
      expect((await ask({}, BY_ID.request)).status).toBe(code);
    }
    for (const request of ['GetShippingDetails?Status=No', DETAILS.request]) {
      const refused = await ask({}, request);
      expectProblem(refused, 429, 'rate-limit-exceeded');
      expect(remaining(refused)).toBe(0);
    }
  });

  it('a proxy that is not trusted is the client', async () => {
    await start({ TRUST_PROXY: '10.0.0.1', RATE_LIMIT_MAX: '1' });
    expect((await ask(from('192.0.2.1'))).status).toBe(200);
    expect((await ask(from('192.0.2.9'))).status).toBe(429);
  });

  it('each key and each subject has a limit at all addresses', async () => {
    await start({ ...keyServer().env, AUTH_API_KEYS_SHA256, TRUST_PROXY: 'loopback', RATE_LIMIT_MAX: '1' });
    const token = async (claims: Record<string, unknown>): Promise<Record<string, string>> =>
      bearer(await keyServer().sign(claims));
    const [first, second] = KEYS.map((key) => ({ 'X-API-Key': key }));
    for (const headers of [first, second, await token({ jti: '1' }), await token({ sub: 'other' })]) {
      expect((await ask(headers)).status).toBe(200);
    }
    for (const headers of [first, second, await token({ jti: '2' }), await token({ sub: undefined, azp: 'other' })]) {
      expectProblem(await ask({ ...headers, ...from('192.0.2.1') }), 429, 'rate-limit-exceeded');
    }
  });

  it('failed authentications count by address', async () => {
    holdDate();
    await start({ ...keyServer().env, AUTH_API_KEYS_SHA256, TRUST_PROXY: 'loopback' });
    const known = bearer(await keyServer().sign());
    expect((await ask(known)).status).toBe(200);
    expect(await statuses(3, { 'X-API-Key': 'guess' })).toEqual([401, 401, 401]);
    expect(await statuses(3)).toEqual([401, 401, 429]);
    for (const headers of [bearer('a.b.c'), { 'X-API-Key': 'guess' }]) {
      const refused = await ask(headers);
      expectProblem(refused, 429, 'rate-limit-exceeded');
      expect([remaining(refused), refused.headers['retry-after']]).toEqual([0, expect.stringMatching(/^3\d{3}$/)]);
    }
    expect(remaining(await ask(known))).toBe(3);
    for (const headers of [bearer(await keyServer().sign({ sub: 'other' })), { 'X-API-Key': KEYS[0] }]) {
      expect((await ask(headers)).status).toBe(200);
    }
    expect((await ask({ ...bearer('a.b.c'), ...from('192.0.2.1') })).status).toBe(401);
    jest.setSystemTime(Date.now() + 3_600_000);
    expect((await ask(bearer('a.b.c'))).status).toBe(401);
  });

  it('a token that names nobody counts by its address', async () => {
    await start({ ...keyServer().env, RATE_LIMIT_MAX: '1', TRUST_PROXY: 'loopback' });
    const nobody = bearer(await keyServer().sign({ sub: undefined }));
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      expect([address, await statuses(2, { ...nobody, ...from(address) })]).toEqual([address, [200, 429]]);
    }
  });

  it('without the scope the subject counts, unverified the address', async () => {
    holdDate();
    await start({ ...keyServer().env, RATE_LIMIT_MAX: '1', AUTH_SCOPE: 'read' });
    expect(await statuses(2, bearer(await keyServer().sign()))).toEqual([403, 429]);
    expect(await statuses(1, bearer(await keyServer().sign({ sub: 'other' })))).toEqual([403]);
    await keyServer().rotate();
    jest.setSystemTime(Date.now() + 10_000);
    keyServer().misbehaviour = (response) => response.destroy();
    expect(await statuses(2, bearer(await keyServer().sign({ sub: 'third' })))).toEqual([503, 429]);
    expect(await statuses(1, bearer('a.b.c'))).toEqual([401]);
  });
});

describe('D46 the client behind trusted proxies', () => {
  const scripted = useScriptedService({ ...LIMIT, RATE_LIMIT_MAX: '1000', TRUST_PROXY: 'loopback,10.0.0.0/8' });
  const FIFTEEN = Array.from({ length: 15 }, (_, index) => `10.0.0.${15 - index}`).join(', ');
  const left = async (address: string): Promise<number> =>
    remaining(await scripted.service.request(DETAILS.request, from(address)));

  it.each([
    // What a client puts in front is not what the trusted proxy has seen.
    { first: '192.0.2.1:555, 10.0.0.1:443', same: '192.0.2.7, 192.0.2.1', other: '192.0.2.2:555, 10.0.0.1:443' },
    { first: '[2001:db8::1]:80', same: '2001:db8::9', other: '[2001:db8:0:1::1]:80' },
    // Sixteen proxies are looked through, of which the first is the connection of the test.
    { first: `192.0.2.3, ${FIFTEEN}`, same: '192.0.2.3', other: `192.0.2.4, ${FIFTEEN}` },
    { first: `192.0.2.3, 10.0.0.16, ${FIFTEEN}`, same: '10.0.0.16', other: '192.0.2.3' },
  ])('of $first', async ({ first, same, other }) => {
    const [ofFirst, ofOther] = [await left(first), await left(other)];
    expect([await left(same), await left(other)]).toEqual([ofFirst - 1, ofOther - 1]);
  });
});
