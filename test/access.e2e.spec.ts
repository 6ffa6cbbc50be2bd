import * as fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createHash } from 'node:crypto';
import { METHODS } from 'node:http';
import {
  expectAnswer,
  expectBadInput,
  expectPlainMessage,
  expectProblem,
  PAGE_NUMBER_MESSAGE,
} from './support/expectations';
import type { HttpResponse } from './support/http-client';
import { AUDIENCE, bearer, ISSUER, KeyServer } from './support/key-server';
import { useMonotonicClock } from './support/monotonic-clock';
import { DETAILS, eventually, OPERATIONS, PAGED } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { holdWallClock } from './support/wall-clock';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const NOW = (): number => Math.floor(Date.now() / 1000);
const KEYS = ['first-key-0123456789', 'second-key-0123456789'];
/** How long the service waits after a failure before it fetches the keys again. */
const FAILURE_COOLDOWN_MS = 1_000;
/** QUERY is not a method of older versions of Node. */
const SENDABLE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'].filter(
  (method) => METHODS.includes(method),
);
const BEARER_CHALLENGE = 'Bearer realm="shipping-query-service"';
const INVALID_TOKEN =
  /^Bearer realm="shipping-query-service", error="invalid_token", error_description="The token [a-z ]+"/;

async function start(env: Record<string, string>): Promise<ScriptedService> {
  const scripted = await startScriptedService(env);
  scripted.upstream.respondWith(json());
  return scripted;
}

/** A 401 that tells strangers how to come back, and nothing else. */
function expectRefused(answer: HttpResponse, code: string, challenge: string | RegExp): void {
  expectProblem(answer, 401, code);
  expect(answer.headers['www-authenticate']).toEqual(
    typeof challenge === 'string' ? challenge : expect.stringMatching(challenge),
  );
}

describe('access is off by default', () => {
  it('without authentication, credentials are ignored', async () => {
    const { service, close } = await start({});
    const answer = await service.request(DETAILS.request, {
      Authorization: 'Bearer nonsense',
      'X-API-Key': 'nonsense',
    });
    expectAnswer(DETAILS, answer, 'complete');
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(answer.headers).not.toHaveProperty('ratelimit');
    expect(answer.headers.vary).toBe('Prefer, accept-encoding');
    await close();
  });
});

describe('bearer tokens', () => {
  let keyServer: KeyServer;
  let scripted: ScriptedService;
  const ask = (token: string, operation = DETAILS): Promise<HttpResponse> =>
    scripted.service.request(operation.request, bearer(token));

  beforeAll(async () => {
    keyServer = await KeyServer.start();
    scripted = await start(keyServer.env);
  });
  afterAll(async () => {
    await scripted.close();
    await keyServer.close();
  });

  it.each(OPERATIONS)('$name requires a valid token', async (operation) => {
    expectAnswer(operation, await ask(await keyServer.sign(), operation), 'complete');
    const refused = await scripted.service.request(operation.request);
    expectRefused(refused, 'authentication-required', BEARER_CHALLENGE);
  });

  it.each([
    ['a list of audiences', { aud: ['other', AUDIENCE] }, {}],
    ['clocks apart by less than the skew, expiry', { exp: NOW() - 10 }, {}],
    ['clocks apart by less than the skew, start', { nbf: NOW() + 10 }, {}],
    ['nobody named', { sub: undefined }, {}],
    ['no key named, where there is but one', {}, { kid: undefined }],
    ['the type of access tokens in full', {}, { typ: 'application/at+JWT' }],
  ])('takes a token with %s', async (_, claims, header) => {
    expectAnswer(DETAILS, await ask(await keyServer.sign(claims, header)), 'complete');
  });

  it.each(['BEARER', 'Bearer '])('takes the scheme spelled %j', async (scheme) => {
    const answer = await scripted.service.request(DETAILS.request, {
      Authorization: `${scheme} ${await keyServer.sign()}`,
    });
    expectAnswer(DETAILS, answer, 'complete');
  });

  const day = 86_400;
  it.each([
    ['expired before the skew', { exp: NOW() - 31 }, {}],
    ['never expires', { exp: undefined }, {}],
    ['expires at no number', { exp: 'tomorrow' }, {}],
    ['is not valid yet', { nbf: NOW() + day }, {}],
    ['is of another issuer', { iss: `${ISSUER}/` }, {}],
    ['is of no issuer', { iss: undefined }, {}],
    ['is for another audience', { aud: 'other' }, {}],
    ['is for no audience', { aud: undefined }, {}],
    ['is of another type', {}, { typ: 'logout+jwt' }],
    ['names an unknown key', {}, { kid: 'unknown' }],
    ['has extensions that must be understood', {}, { crit: ['exp'], exp: 1 }],
  ])('refuses a token that %s', async (name, claims, header) => {
    const token = 'crit' in header ? await withHeader(header) : await keyServer.sign(claims, header);
    const answer = await ask(token);
    expectRefused(answer, 'invalid-credentials', INVALID_TOKEN);
    expect(String(answer.headers['www-authenticate']).includes('has expired')).toBe(name.includes('expired'));
  });

  /** A good token whose header was replaced after it was signed. */
  async function withHeader(header: Record<string, unknown>): Promise<string> {
    const [, payload, signature] = (await keyServer.sign()).split('.');
    const { jwk } = keyServer.key;
    return [encoded({ alg: jwk.alg, kid: jwk.kid, ...header }), payload, signature].join('.');
  }
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = (): Record<string, unknown> => ({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: NOW() + 300 });

  const forged: [string, () => Promise<string> | string][] = [
    ['unsigned', () => new UnsecuredJWT(claims()).encode()],
    ['signed with the public key as a secret', () => hmac(JSON.stringify(keyServer.key.jwk))],
    ['signed with another key of the same name', () => signedByStranger({ kid: keyServer.key.jwk.kid })],
    ['signed with a key that it brings along', async () => signedByStranger({ jwk: true })],
    ['signed with a key that it says where to find', () => signedByStranger({ jku: keyServer.url, x5u: keyServer.url })],
    ['signed with another algorithm than it says', () => withHeader({ alg: 'ES384' })],
    ['with its claims changed', async () => {
      const [header, , signature] = (await keyServer.sign()).split('.');
      return [header, encoded({ ...claims(), sub: 'root' }), signature].join('.');
    }],
    ['without its signature', async () => `${(await keyServer.sign()).split('.').slice(0, 2).join('.')}.`],
    ['encrypted, by its looks', () => 'a.b.c.d.e'],
    ['of two parts', () => 'a.b'],
    ['empty', () => ''],
    ['huge', async () => keyServer.sign({ blob: 'x'.repeat(8_000) })],
    ['of JSON that is none', () => `${Buffer.from('{').toString('base64url')}.e30.e30`],
    ['of nested JSON', () => `${encoded({ alg: 'ES256' })}.${Buffer.from('['.repeat(3_000)).toString('base64url')}.e30`],
    ['with a prototype', () => withHeader(JSON.parse('{"__proto__":{"alg":"none"},"typ":5}') as Record<string, unknown>)],
  ]; // prettier-ignore

  async function hmac(secret: string): Promise<string> {
    return new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: keyServer.key.jwk.kid })
      .sign(new TextEncoder().encode(secret));
  }

  async function signedByStranger(header: Record<string, unknown>): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = header.jwk === true ? { jwk: await exportJWK(publicKey) } : {};
    return new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header, ...jwk }).sign(privateKey);
  }

  it.each(forged)('refuses a token %s', async (_, forge) => {
    expectRefused(await ask(await forge()), 'invalid-credentials', INVALID_TOKEN);
  });

  it('other schemes than Bearer are ignored', async () => {
    for (const Authorization of ['Basic dTpw', 'Digest a="b"', 'Bearertoken', '', ' ', 'Token a.b.c']) {
      const answer = await scripted.service.request(DETAILS.request, { Authorization });
      expectRefused(answer, 'authentication-required', BEARER_CHALLENGE);
    }
  });

  it('API keys are ignored where none is configured', async () => {
    const answer = await scripted.service.request(DETAILS.request, { 'X-API-Key': KEYS[0] ?? '' });
    expectRefused(answer, 'authentication-required', BEARER_CHALLENGE);
  });

  it('no header causes a 500', async () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((c) => c !== 0x7f).map((c) => String.fromCharCode(c)), maxLength: 200 }); // prettier-ignore
    const part = fc.oneof(text, fc.json().map(encodedText), fc.base64String());
    const token = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    const header = fc.oneof(text, fc.tuple(fc.constantFrom('Bearer', 'bearer', 'BEARER '), token).map(([a, b]) => `${a} ${b}`)); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(header, text, async (authorization, key) => {
        const answer = await scripted.service.request(DETAILS.request, {
          Authorization: authorization,
          'X-API-Key': key,
        });
        expect(answer.status).toBe(401);
      }),
      { numRuns: 100 },
    );
  });
  const encodedText = (text: string): string => Buffer.from(text).toString('base64url');

  it('credentials are not logged', async () => {
    const token = await keyServer.sign({ sub: 'secret-subject' });
    await ask(token);
    await ask(`${token}x`);
    const log = scripted.service.log.join('\n');
    expect(log).not.toContain('secret-subject');
    expect(log).not.toContain(token.slice(0, 40));
    expect(log).not.toContain(token.slice(-20));
  });
});

describe('the keys of the issuer', () => {
  const clock = useMonotonicClock();
  let keyServer: KeyServer;
  const running: ScriptedService[] = [];
  const service = async (env: Record<string, string> = {}): Promise<(token: string) => Promise<HttpResponse>> => {
    const scripted = await start({ ...keyServer.env, ...env });
    running.push(scripted);
    return (token) => scripted.service.request(DETAILS.request, bearer(token));
  };

  beforeEach(async () => (keyServer = await KeyServer.start()));
  afterEach(async () => {
    jest.useRealTimers();
    await Promise.all(running.splice(0).map((scripted) => scripted.close()));
    await keyServer.close();
  });

  it('are fetched at start, once for concurrent requests', async () => {
    const ask = await service();
    await eventually(() => keyServer.fetches === 1);
    const token = await keyServer.sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(1);
  });

  it('rotation: the new key is fetched at once, once for concurrent requests, and the old one is forgotten', async () => {
    const ask = await service();
    const old = await keyServer.sign();
    expect((await ask(old)).status).toBe(200);
    await keyServer.rotate();
    const token = await keyServer.sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(keyServer.fetches).toBe(2);
    expect((await ask(old)).status).toBe(401);
  });

  it('a verified token is refused once it has expired', async () => {
    holdWallClock();
    const ask = await service();
    const token = await keyServer.sign({ exp: NOW() + 30 });
    expect((await ask(token)).status).toBe(200);
    jest.setSystemTime(Date.now() + 59_000);
    expect((await ask(token)).status).toBe(200);
    jest.setSystemTime(Date.now() + 1_000);
    expectRefused(await ask(token), 'invalid-credentials', /The token has expired/);
  });

  it('overlap: tokens of the old key stay valid', async () => {
    const ask = await service();
    const old = await keyServer.sign();
    await ask(old);
    await keyServer.add();
    expect((await ask(await keyServer.sign())).status).toBe(200);
    expect((await ask(old)).status).toBe(200);
  });

  it.each(['ES256', 'RS256'])('D47 a token without kid is verified with each fitting key (%s)', async (alg) => {
    await keyServer.rotate(alg);
    const anonymous = (claims = {}): Promise<string> => keyServer.sign(claims, { kid: undefined });
    const tokens = [await anonymous()];
    for (const next of [alg, 'EdDSA', alg]) {
      await keyServer.add(next);
      tokens.push(await anonymous());
    }
    const expired = await anonymous({ exp: 1 });
    const ask = await service();
    for (const token of tokens) expect((await ask(token)).status).toBe(200);
    expectRefused(await ask(expired), 'invalid-credentials', /The token has expired/);
    const [header, , signature] = tokens.join('.').split('.');
    const forged = [header, expired.split('.')[1], signature].join('.');
    expectRefused(await ask(forged), 'invalid-credentials', /The token is not accepted/);
  });

  it('D47 rotation: tokens without kid are verified with the new key at once, and forged ones cause no repeated fetches', async () => {
    const ask = await service();
    const anonymous = (): Promise<string> => keyServer.sign({}, { kid: undefined });
    const old = await anonymous();
    expect((await ask(old)).status).toBe(200);
    await keyServer.rotate();
    expect((await ask(await anonymous())).status).toBe(200);
    expect(keyServer.fetches).toBe(2);
    for (let count = 0; count < 3; count += 1) expect((await ask(old)).status).toBe(401);
    expect(keyServer.fetches).toBe(2);
  });

  it('unknown key ids do not cause repeated fetches', async () => {
    const ask = await service();
    for (let index = 0; index < 30; index += 1) {
      expect((await ask(await keyServer.sign({}, { kid: `none-${index}` }))).status).toBe(401);
    }
    expect(keyServer.fetches).toBe(2);
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example' }],
    ['that has expired', { exp: NOW() - 3_600 }],
  ])('are not fetched for a token %s', async (_, claims) => {
    const ask = await service();
    await eventually(() => keyServer.fetches === 1);
    await ask(await keyServer.sign());
    expect((await ask(await keyServer.sign(claims, { kid: 'none' }))).status).toBe(401);
    expect(keyServer.fetches).toBe(1);
  });

  type Misbehaviour = NonNullable<KeyServer['misbehaviour']>;
  const misbehaviours: [string, Misbehaviour][] = [
    ['hangs', () => undefined],
    ['resets', (response) => response.destroy()],
    ['answers 500', (response) => response.writeHead(500).end('{}')],
    ['redirects', (response) => response.writeHead(302, { location: keyServer.url }).end()],
    ['sends HTML', (response) => response.end('<html>')],
    ['sends null', (response) => response.end('null')],
    ['sends no set', (response) => response.end('{"keys":"none"}')],
    ['sends an empty set', (response) => response.end('{"keys":[]}')],
    ['sends without end', (response) => response.end(`{"keys":[],"more":"${'x'.repeat(2_000_000)}"}`)],
  ]; // prettier-ignore

  it.each(misbehaviours)('key server %s: 503 until it recovers, and known keys stay in use', async (_, misbehave) => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const knowing = await service();
    const known = await keyServer.sign();
    expect((await knowing(known)).status).toBe(200);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(100));
    keyServer.misbehaviour = misbehave;
    const ask = await service();

    const answer = await ask(known);
    expectProblem(answer, 503, 'keys-unavailable');
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const metrics = await running.at(-1)?.service.get('/metrics');
    expect(metrics?.body).toContain('shipping_guard_failures_total{failure="keys"} 1\n');
    expect((await knowing(known)).status).toBe(200);

    await keyServer.rotate();
    const fresh = await keyServer.sign();
    expect((await knowing(fresh)).status).toBe(503);
    expect((await knowing(known)).status).toBe(200);
    for (const bad of ['a.b.c', await keyServer.sign({ exp: 1 }), await keyServer.sign({ iss: 'other' })]) {
      expect([(await ask(bad)).status, (await knowing(bad)).status]).toEqual([401, 401]);
    }

    keyServer.misbehaviour = undefined;
    jest.mocked(AbortSignal.timeout).mockRestore();
    clock.advance(FAILURE_COOLDOWN_MS);
    for (const recovering of [ask, knowing]) expect((await recovering(fresh)).status).toBe(200);
    // Nest has one logger per process: both services write to the log of the later one.
    const lines = running.flatMap(({ service: { log } }) => log).filter((line) => line.includes('token issuer'));
    expect(lines).toHaveLength(2 * running.length);
    expect(lines.filter((line) => line.includes('127.0.0.1'))).toEqual([]);
  });

  it('the service starts without the key server', async () => {
    await keyServer.close();
    const ask = await service();
    expectProblem(await ask(await keyServer.sign()), 503, 'keys-unavailable');
    keyServer = await KeyServer.start();
  });

  it.each(['RS256', 'PS512', 'EdDSA'])('may be of %s', async (alg) => {
    await keyServer.rotate(alg);
    const ask = await service();
    expect((await ask(await keyServer.sign())).status).toBe(200);
  });
});

describe('scopes', () => {
  let keyServer: KeyServer;
  let scripted: ScriptedService;
  beforeAll(async () => {
    keyServer = await KeyServer.start();
    const AUTH_API_KEYS_SHA256 = KEYS.map(digestOf).join();
    scripted = await start({ ...keyServer.env, AUTH_SCOPE: 'shipping.read  orders.read', AUTH_API_KEYS_SHA256 });
  });
  afterAll(async () => {
    await scripted.close();
    await keyServer.close();
  });

  it.each([
    [{ scope: 'shipping.read orders.read' }],
    [{ scp: ['shipping.read', 'orders.read'] }],
    [{ scp: 'shipping.read orders.read' }],
  ])('%j is enough', async (claims) => {
    const answer = await scripted.service.request(DETAILS.request, bearer(await keyServer.sign(claims)));
    expectAnswer(DETAILS, answer, 'complete');
  });

  it.each([
    [{}],
    [{ scope: 'shipping.read' }],
    [{ scope: 'shipping.reader orders.read' }],
    [{ scope: { 'shipping.read': true } }],
  ])('%j is not: 403', async (claims) => {
    const answer = await scripted.service.request(DETAILS.request, bearer(await keyServer.sign(claims)));
    expectProblem(answer, 403, 'insufficient-scope');
    expect(answer.headers['www-authenticate']).toBe(
      `${BEARER_CHALLENGE}, error="insufficient_scope", scope="shipping.read orders.read"`,
    );
  });

  it('an API key needs no scope', async () => {
    expectAnswer(DETAILS, await scripted.service.request(DETAILS.request, { 'X-API-Key': KEYS[0] ?? '' }), 'complete');
  });
});

describe('API keys', () => {
  let scripted: ScriptedService;
  const latin = 'caf\u00e9-key-0123456789';
  const withKey = (key: string): Promise<HttpResponse> =>
    scripted.service.request(DETAILS.request, { 'X-API-Key': key });

  beforeAll(async () => {
    const digests = [...KEYS.map(digestOf), digestOf(latin).toUpperCase()];
    scripted = await start({ AUTH_API_KEYS_SHA256: ` ${digests.join(' , ')},`, CORS_ORIGINS: 'https://page.example' });
  });
  afterAll(() => scripted.close());

  it.each(OPERATIONS)('$name requires one of the keys', async (operation) => {
    for (const key of [...KEYS, Buffer.from(latin).toString('latin1')]) {
      const answer = await scripted.service.request(operation.request, { 'X-API-Key': key });
      expectAnswer(operation, answer, 'complete');
      expect(answer.headers.vary).toMatch(/(^|, )X-API-Key$/);
    }
    const refused = await scripted.service.request(operation.request);
    expectRefused(refused, 'authentication-required', 'ApiKey realm="shipping-query-service"');
    expect(refused.headers.vary).toMatch(/(^|, )X-API-Key$/);
  });

  it.each([
    ['the digest', digestOf(KEYS[0] ?? '')],
    ['a part', KEYS[0]?.slice(1) ?? ''],
    ['both', KEYS.join(', ')],
    ['a long one', 'x'.repeat(10_000)],
  ])('refuses %s', async (_, key) => {
    expectRefused(await withKey(key), 'invalid-credentials', 'ApiKey realm="shipping-query-service"');
  });

  it('a key that is sent twice is invalid', async () => {
    const [key = ''] = KEYS;
    const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, {
      headers: { 'X-API-Key': [key, key] },
    });
    expectProblem(answer, 401, 'invalid-credentials');
  });

  it('an empty key is no credential', async () => {
    expectProblem(await withKey(''), 401, 'authentication-required');
  });

  it('bearer tokens are ignored where no issuer is configured', async () => {
    const answer = await scripted.service.request(DETAILS.request, bearer('a.b.c'));
    expectRefused(answer, 'authentication-required', 'ApiKey realm="shipping-query-service"');
  });

  it('no spelling of a path avoids authentication', async () => {
    const paths = [
      '/api/Shipping/GetShippingDetails', '/API/SHIPPING/GETSHIPPINGDETAILS', '/api/shipping/getshippingdetails/',
      '/%61pi/Shipping/GetShippingDetails', '/api/%53hipping/GetShippingDetails', '/api/Shipping/GetShippingDetail%73',
      '/api/Shipping/GetShippingDetails/?Limit=1', '/api/Shipping/GetShippingDetails?',
      '/api/Shipping/GetShippingInfoById', '/api/Shipping/GetShippingInfoById/', '/api/Shipping/GetShippingInfoById/SHP-1/',
      '/api/Shipping/GetShippingInfoById/%53HP-1', '/api/Shipping/GetShippingInfoById/%2e%2e', '/api/Shipping/GetShippingInfoById/..%2fx',
      'http://other.example/api/Shipping/GetShippingDetails',
    ]; // prettier-ignore
    const undecodable = [
      '/api/Shipping/GetShippingInfoById/%zz', '/api/Shipping/GetShippingInfoById/%ff', '/API/shipping/getshippinginfobyid/%zz',
      '/%zz/api/Shipping/GetShippingDetails',
    ]; // prettier-ignore
    const unserved = [
      '/api/shipping//GetShippingDetails', '//api/Shipping/GetShippingDetails', '/api/./Shipping/GetShippingDetails',
      '/docs/../api/Shipping/GetShippingDetails', '/health/..%2fapi/Shipping/GetShippingDetails', '/api/Shipping%2fGetShippingDetails',
      '/api/Shipping/GetShippingDetails;a=b', '/api/Shipping/GetShippingDetails%00', '/api\\Shipping\\GetShippingDetails', '/api/Shipping/GetShippingDetails%20', '/api/Shipping',
    ]; // prettier-ignore
    const before = scripted.upstream.calls.length;
    for (const method of SENDABLE_METHODS) {
      const allowed: [string[], number[]][] = [
        [paths, [method === 'GET' || method === 'HEAD' ? 401 : 405]],
        [undecodable, [400]],
        [unserved, [400, 403, 404, 405]],
      ];
      for (const [targets, statuses] of allowed) {
        for (const path of targets) {
          const { status } = await scripted.service.get(path, { method });
          expect([method, path, statuses.includes(status) ? 'refused' : status]).toEqual([method, path, 'refused']);
        }
      }
    }
    expect(scripted.upstream.calls).toHaveLength(before);
  });

  it.each(['GetShippingPagedList?PageNumber=0', 'GetShippingDetails?Status=No', 'GetShippingSingle', 'GetShippingInfoById/..x', 'GetShippingInfoById/'])(
    'what is wrong with %s is reported to authenticated clients only',
    async (request) => {
      expectProblem(await scripted.service.request(request), 401, 'authentication-required');
      const answer = await scripted.service.request(request, { 'X-API-Key': KEYS[0] ?? '' });
      if (request.startsWith(PAGED.name)) expectPlainMessage(answer, PAGE_NUMBER_MESSAGE);
      else expectBadInput(answer);
    },
  ); // prettier-ignore

  it.each<Record<string, string>>([{}, { 'X-API-Key': KEYS[0] ?? '' }, { 'X-API-Key': 'wrong' }])(
    'D40 a path that cannot be decoded is 400 for everybody: %j',
    async (headers) => {
      const answer = await scripted.service.request('GetShippingInfoById/%zz', headers);
      expectBadInput(answer, 'path', /percent-encoded UTF-8/);
    },
  );

  it.each<Record<string, string>>([{}, { 'X-API-Key': KEYS[0] ?? '' }, { 'X-API-Key': 'wrong' }])(
    'other methods are 405 for everybody: %j',
    async (headers) => {
      const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { method: 'POST', headers });
      expectProblem(answer, 405);
      expect(answer.headers.allow).toBe('GET, HEAD');
    },
  );

  it.each(['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml'])(
    '%s stays open',
    async (path) => {
      expect((await scripted.service.get(path)).status).toBe(200);
    },
  );

  it('preflights need no key, and pages may read the 401', async () => {
    const Origin = 'https://page.example';
    const preflight = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, {
      method: 'OPTIONS',
      headers: { Origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'x-api-key' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, expect.stringContaining('Authorization, X-API-Key')]); // prettier-ignore
    const refused = await scripted.service.request(DETAILS.request, { Origin });
    expect([refused.status, refused.headers['access-control-allow-origin'], refused.headers['access-control-expose-headers']]).toEqual([401, Origin, expect.stringContaining('WWW-Authenticate')]); // prettier-ignore
  });

  it('keys are not logged', async () => {
    await withKey(KEYS[0] ?? '');
    await withKey('guessed-key');
    const log = scripted.service.log.join('\n');
    expect(log).toContain('"status":401');
    for (const secret of [...KEYS, ...KEYS.map(digestOf), 'guessed-key']) expect(log).not.toContain(secret);
  });
});

describe('tokens and keys together', () => {
  it('either is enough', async () => {
    const keyServer = await KeyServer.start();
    const scripted = await start({ ...keyServer.env, AUTH_API_KEYS_SHA256: KEYS.map(digestOf).join() });
    const token = await keyServer.sign();
    const [key = ''] = KEYS;
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await scripted.service.request(DETAILS.request, headers)).status;
    expect(await statusOf({ 'X-API-Key': key })).toBe(200);
    expect(await statusOf(bearer(token))).toBe(200);
    expect(await statusOf({ ...bearer('a.b.c'), 'X-API-Key': key })).toBe(200);
    expect(await statusOf({ ...bearer(token), 'X-API-Key': 'wrong' })).toBe(200);
    const both = `${BEARER_CHALLENGE}, ApiKey realm="shipping-query-service"`;
    expectRefused(await scripted.service.request(DETAILS.request), 'authentication-required', both);
    const worse = await scripted.service.request(DETAILS.request, { ...bearer('a.b.c'), 'X-API-Key': 'wrong' });
    expectRefused(worse, 'invalid-credentials', INVALID_TOKEN);
    await scripted.close();
    await keyServer.close();
  });
});
