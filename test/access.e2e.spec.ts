import * as fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createHash } from 'node:crypto';
import { expectAnswer, expectBadInput, expectPlainMessage, expectProblem, PAGE_NUMBER_MESSAGE } from './support/expectations'; // prettier-ignore
import type { HttpResponse } from './support/http-client';
import { AUDIENCE, bearer, ISSUER, KeyServer } from './support/key-server';
import { DETAILS, OPERATIONS, PAGED } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { holdWallClock } from './support/wall-clock';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const NOW = (): number => Math.floor(Date.now() / 1000);
const [KEY, ...OTHER_KEYS] = ['first-key-0123456789', 'second-key-0123456789'] as const;
const AUTH_API_KEYS_SHA256 = [KEY, ...OTHER_KEYS].map(digestOf).join();
const BEARER_CHALLENGE = 'Bearer realm="shipping-query-service"';
const KEY_CHALLENGE = 'ApiKey realm="shipping-query-service"';
const INVALID_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token is not accepted."`;
const EXPIRED_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token has expired."`;

async function start(env: Record<string, string>): Promise<ScriptedService> {
  const scripted = await startScriptedService(env);
  scripted.upstream.respondWith(json());
  return scripted;
}

/** A 401 that tells strangers how to come back, and nothing else. */
function expectRefused(response: HttpResponse, code: string, challenge: string): void {
  expectProblem(response, 401, code);
  expect(response.headers['www-authenticate']).toBe(challenge);
}

it('D76 authentication is off by default: credentials are ignored', async () => {
  const { service, close } = await start({});
  const response = await service.request(DETAILS.request, {
    Authorization: 'Bearer nonsense',
    'X-API-Key': 'nonsense',
  });
  expectAnswer(response, 'complete');
  for (const header of ['www-authenticate', 'ratelimit']) expect(response.headers).not.toHaveProperty(header);
  expect(response.headers.vary).not.toContain('X-API-Key');
  await close();
});

describe('D76 bearer tokens', () => {
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
    expectAnswer(await ask(await keyServer.sign(), operation), 'complete');
    const refused = await scripted.service.request(operation.request);
    expectRefused(refused, 'authentication-required', BEARER_CHALLENGE);
  });

  it.each([
    ['a list of audiences', { aud: ['other', AUDIENCE] }, {}],
    ['clocks apart by less than the skew, expiry', { exp: NOW() - 10 }, {}],
    ['clocks apart by less than the skew, start', { nbf: NOW() + 10 }, {}],
    ['nobody named', { sub: undefined }, {}],
    ['the type of access tokens in full', {}, { typ: 'application/at+JWT' }],
  ])('takes a token with %s', async (_, claims, header) => {
    const token = await keyServer.sign(claims, header);
    expectAnswer(await ask(token), 'complete');
    for (const scheme of ['BEARER', 'Bearer ']) {
      const headers = { Authorization: `${scheme} ${token}` };
      expect((await scripted.service.request(DETAILS.request, headers)).status).toBe(200);
    }
  });

  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = (): Record<string, unknown> => ({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: NOW() + 300 });

  /** A good token whose header was replaced after it was signed. */
  async function withHeader(header: Record<string, unknown>): Promise<string> {
    const [, payload, signature] = (await keyServer.sign()).split('.');
    const { jwk } = keyServer.key;
    return [encoded({ alg: jwk.alg, kid: jwk.kid, ...header }), payload, signature].join('.');
  }

  async function hmac(secret: string): Promise<string> {
    const header = { alg: 'HS256', kid: keyServer.key.jwk.kid };
    return new SignJWT(claims()).setProtectedHeader(header).sign(new TextEncoder().encode(secret));
  }

  async function signedByStranger(header: Record<string, unknown>): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = header.jwk === true ? { jwk: await exportJWK(publicKey) } : {};
    return new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header, ...jwk }).sign(privateKey);
  }

  const bad: [string, () => Promise<string> | string][] = [
    ['that never expires', () => keyServer.sign({ exp: undefined })],
    ['that expires at no number', () => keyServer.sign({ exp: 'tomorrow' })],
    ['that is not valid yet', () => keyServer.sign({ nbf: NOW() + 86_400 })],
    ['of another issuer', () => keyServer.sign({ iss: `${ISSUER}/` })],
    ['for another audience', () => keyServer.sign({ aud: 'other' })],
    ['of another type', () => keyServer.sign({}, { typ: 'logout+jwt' })],
    ['that names an unknown key', () => keyServer.sign({}, { kid: 'unknown' })],
    ['with extensions that must be understood', () => withHeader({ crit: ['exp'], exp: 1 })],
    ['unsigned', () => new UnsecuredJWT(claims()).encode()],
    ['signed with the public key as a secret', () => hmac(JSON.stringify(keyServer.key.jwk))],
    ['signed with another key of the same name', () => signedByStranger({ kid: keyServer.key.jwk.kid })],
    ['signed with a key that it brings along', () => signedByStranger({ jwk: true })],
    ['signed with a key that it says where to find', () => signedByStranger({ jku: keyServer.url, x5u: keyServer.url })],
    ['signed with another algorithm than it says', () => withHeader({ alg: 'ES384' })],
    ['with its claims changed', async () => {
      const [header, , signature] = (await keyServer.sign()).split('.');
      return [header, encoded({ ...claims(), sub: 'root' }), signature].join('.');
    }],
    ['without its signature', async () => `${(await keyServer.sign()).split('.').slice(0, 2).join('.')}.`],
    ['encrypted, by its looks', () => 'a.b.c.d.e'],
    ['empty', () => ''],
    ['of nested JSON', () => `${encoded({ alg: 'ES256' })}.${Buffer.from('['.repeat(3_000)).toString('base64url')}.e30`],
    ['with a prototype', () => withHeader(JSON.parse('{"__proto__":{"alg":"none"},"typ":5}') as Record<string, unknown>)],
  ]; // prettier-ignore

  it.each(bad)('refuses a token %s, and fetches no keys for it', async (_, forge) => {
    await ask(await keyServer.sign());
    expectRefused(await ask(await forge()), 'invalid-credentials', INVALID_TOKEN);
    expect(keyServer.fetches).toBe(1);
  });

  it('refuses a token that expired before the skew of 30 s', async () => {
    expectRefused(await ask(await keyServer.sign({ exp: NOW() - 31 })), 'invalid-credentials', EXPIRED_TOKEN);
  });

  it('ignores other schemes than Bearer, and API keys', async () => {
    for (const Authorization of ['Basic dTpw', 'Digest a="b"', 'Bearertoken', '', ' ', 'Token a.b.c']) {
      const response = await scripted.service.request(DETAILS.request, { Authorization, 'X-API-Key': KEY });
      expectRefused(response, 'authentication-required', BEARER_CHALLENGE);
    }
  });

  it('no header causes a 500', async () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((c) => c !== 0x7f).map((c) => String.fromCharCode(c)), maxLength: 200 }); // prettier-ignore
    const base64 = fc.json().map((json) => Buffer.from(json).toString('base64url'));
    const part = fc.oneof(text, base64, fc.base64String());
    const token = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    const header = fc.oneof(text, fc.tuple(fc.constantFrom('Bearer', 'bearer', 'BEARER '), token).map((both) => both.join(' '))); // prettier-ignore
    const property = fc.asyncProperty(header, text, async (Authorization, key) => {
      const response = await scripted.service.request(DETAILS.request, { Authorization, 'X-API-Key': key });
      expect(response.status).toBe(401);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  it('D39 tokens are not logged', async () => {
    const token = await keyServer.sign();
    for (const sent of [token, `${token}x`]) await ask(sent);
    const log = scripted.service.log.join('\n');
    for (const part of token.split('.')) expect(log).not.toContain(part);
  });
});

describe('D76 keys of the issuer', () => {
  let keyServer: KeyServer;
  const services: ScriptedService[] = [];
  /** Starts a service; the result sends it a token. */
  const service = async (env: Record<string, string> = {}): Promise<(token: string) => Promise<HttpResponse>> => {
    const scripted = await start({ ...keyServer.env, ...env });
    services.push(scripted);
    return (token) => scripted.service.request(DETAILS.request, bearer(token));
  };
  const advance = (ms: number): void => {
    jest.setSystemTime(Date.now() + ms);
    jest.mocked(performance.now).mockReturnValue(performance.now() + ms);
  };
  const anonymous = (claims = {}): Promise<string> =>
    keyServer.sign({ exp: NOW() + 3_600, ...claims }, { kid: undefined });
  const lasting = (claims = {}): Promise<string> => keyServer.sign({ exp: NOW() + 999_999, ...claims });
  const COOLDOWN_MS = 10_000;
  const DAY_MS = 86_400_000;

  beforeEach(async () => {
    holdWallClock();
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    keyServer = await KeyServer.start();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await Promise.all(services.splice(0).map((scripted) => scripted.close()));
    await keyServer.close();
  });

  async function statusesOf(ask: (token: string) => Promise<HttpResponse>, tokens: string[]): Promise<number[]> {
    return (await Promise.all(tokens.map(ask))).map(({ status }) => status);
  }

  it.each([
    ['with kid', lasting],
    ['without kid', anonymous],
  ])('are fetched once for concurrent tokens %s, and again for new keys after ten seconds', async (_, sign) => {
    const ask = await service();
    const tokens = async (): Promise<string[]> => Promise.all(Array.from({ length: 20 }, (__, jti) => sign({ jti })));
    expect(new Set(await statusesOf(ask, await tokens()))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(1);
    await keyServer.rotate();
    const rotated = await tokens();
    advance(COOLDOWN_MS - 1);
    expect((await ask(await sign())).status).toBe(401);
    advance(1);
    expect(new Set(await statusesOf(ask, rotated))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(2);
  });

  it.each([
    ['of unknown keys', (index: number) => keyServer.sign({}, { kid: `none-${index}` }), 1],
    ['without kid', () => anonymous().then((token) => `${token.slice(0, -8)}AAAAAAAA`), 1],
    ['forged', () => lasting().then((token) => `${token.slice(0, -8)}AAAAAAAA`), 0],
    ['of another issuer', (index: number) => keyServer.sign({ iss: 'https://other.example' }, { kid: `none-${index}` }), 0],
    ['expired', (index: number) => keyServer.sign({ exp: NOW() - 31 }, { kid: `none-${index}` }), 0],
  ])('are fetched at most every ten seconds for tokens %s', async (_, sign, fetches) => {
    const ask = await service();
    expect((await ask(await lasting())).status).toBe(200);
    advance(COOLDOWN_MS);
    for (let index = 0; index < 5; index += 1) expect((await ask(await sign(index))).status).toBe(401);
    expect(keyServer.fetches).toBe(1 + fetches);
  }); // prettier-ignore

  it('a verified token is remembered for ten minutes, and no forged signature makes the service forget it', async () => {
    const ask = await service({ RATE_LIMIT_MAX: '4', RATE_LIMIT_WINDOW_MS: '3600000' });
    const known = await lasting();
    expect((await ask(known)).status).toBe(200);
    const [header, payload] = (await lasting({ sub: 'other' })).split('.');
    const forged = [header, payload, known.split('.')[2]].join('.');
    advance(COOLDOWN_MS);
    for (let count = 0; count < 4; count += 1) expect((await ask(forged)).status).toBe(401);
    // Failed authentications are used up, so that only tokens that are remembered pass.
    advance(599_999 - COOLDOWN_MS);
    expect((await ask(known)).status).toBe(200);
    advance(1);
    expectProblem(await ask(known), 429, 'rate-limit-exceeded');
  });

  it('a verified token is refused once it has expired', async () => {
    const ask = await service();
    const token = await keyServer.sign({ exp: NOW() + 60 });
    expect((await ask(token)).status).toBe(200);
    advance(89_000 - (Date.now() % 1000));
    expect((await ask(token)).status).toBe(200);
    advance(1_000);
    expectRefused(await ask(token), 'invalid-credentials', EXPIRED_TOKEN);
  });

  it('are trusted for a day', async () => {
    const ask = await service();
    const withdrawn = await Promise.all([lasting({ jti: 1 }), lasting({ jti: 2 }), lasting({ jti: 3 })]);
    expect((await ask(withdrawn[0])).status).toBe(200);
    await keyServer.rotate();
    advance(DAY_MS - 1);
    expect((await ask(withdrawn[1])).status).toBe(200);
    advance(1);
    expect((await ask(withdrawn[2])).status).toBe(401);
    keyServer.misbehaviour = (response) => response.destroy();
    advance(DAY_MS);
    expectProblem(await ask(await lasting()), 503, 'keys-unavailable');
  });

  it.each(['ES256', 'RS256'])('a token without kid is verified with each fitting key (%s)', async (alg) => {
    await keyServer.rotate(alg);
    const tokens = [await anonymous()];
    for (const next of [alg, 'EdDSA', alg]) {
      await keyServer.add(next);
      tokens.push(await anonymous());
    }
    const ask = await service();
    expect(await statusesOf(ask, tokens)).toEqual([200, 200, 200, 200]);
    const [header, payload] = (await anonymous({ sub: 'root' })).split('.');
    const forged = [header, payload, tokens[3]?.split('.')[2]].join('.');
    expectRefused(await ask(forged), 'invalid-credentials', INVALID_TOKEN);
  });

  type Misbehaviour = NonNullable<KeyServer['misbehaviour']>;
  const misbehaviours: [string, Misbehaviour][] = [
    ['hangs', () => undefined],
    ['resets', (response) => response.destroy()],
    ['answers 500', (response) => response.writeHead(500).end(keyServer.document)],
    ['redirects', (response) => response.writeHead(302, { location: keyServer.url }).end()],
    ['sends HTML', (response) => response.end('<html>')],
    ['sends null', (response) => response.end('null')],
    ['sends no set', (response) => response.end('{"keys":"none"}')],
    ['sends an empty set', (response) => response.end('{"keys":[]}')],
    ['sends no keys', (response) => response.end('{"keys":[1]}')],
    ['never ends', (response) => response.write('{"keys":[')],
  ]; // prettier-ignore

  it.each(misbehaviours)('key server %s: 503 for tokens that need keys, and known keys stay in use', async (_, fail) => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const ask = await service();
    const known = await lasting();
    expect((await ask(known)).status).toBe(200);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    keyServer.misbehaviour = fail;
    await keyServer.add();
    const fresh = [await lasting(), await anonymous()] as const;
    advance(COOLDOWN_MS);
    for (const token of fresh) {
      const response = await ask(token);
      expectProblem(response, 503, 'keys-unavailable');
      expect(response.headers['retry-after']).toBe('1');
    }
    const bad = ['a.b.c', await keyServer.sign({ exp: 1 }), await keyServer.sign({ iss: 'other' })];
    expect(await statusesOf(ask, [known, ...bad])).toEqual([200, 401, 401, 401]);
    advance(999);
    expect(await statusesOf(ask, [...fresh])).toEqual([503, 503]);
    expect(keyServer.fetches).toBe(2);

    jest.mocked(AbortSignal.timeout).mockRestore();
    keyServer.misbehaviour = undefined;
    advance(1);
    expect(await statusesOf(ask, [...fresh])).toEqual([200, 200]);
    expect(keyServer.fetches).toBe(3);
    const [{ service: running }] = services as [ScriptedService];
    const metrics = await running.get('/metrics');
    expect(metrics.body).toContain('shipping_guard_failures_total{failure="keys"} 4\n');
    const lines = running.log.filter((line) => line.includes('token issuer'));
    expect(lines).toEqual([expect.not.stringContaining('127.0.0.1')]);
  }); // prettier-ignore

  it.each(['RS256', 'PS512', 'EdDSA'])('may be of %s, beside others', async (alg) => {
    await keyServer.rotate(alg);
    const { keys } = JSON.parse(keyServer.document) as { keys: unknown[] };
    const { jwk } = keyServer.key;
    const others = [
      { kty: 'RSA', kid: 'x' },
      { kty: 'oct', k: 'c2VjcmV0', kid: jwk.kid },
      { ...jwk, use: 'enc' },
    ];
    keyServer.misbehaviour = (response) => response.end(JSON.stringify({ keys: [...others, ...keys] }));
    const ask = await service();
    expect((await ask(await keyServer.sign())).status).toBe(200);
  });
});

describe('D76 API keys and scopes', () => {
  let keyServer: KeyServer;
  let scripted: ScriptedService;
  const latin = 'caf\u00e9-key-0123456789';
  const both = `${BEARER_CHALLENGE}, ${KEY_CHALLENGE}`;
  const ask = (headers: Record<string, string> = {}, request = DETAILS.request): Promise<HttpResponse> =>
    scripted.service.request(request, headers);

  beforeAll(async () => {
    keyServer = await KeyServer.start();
    const digests = [AUTH_API_KEYS_SHA256, digestOf(latin).toUpperCase()].join(' , ');
    const env = { AUTH_API_KEYS_SHA256: ` ${digests},`, AUTH_SCOPE: 'shipping.read  orders.read' };
    scripted = await start({ ...keyServer.env, ...env });
  });
  afterAll(async () => {
    await scripted.close();
    await keyServer.close();
  });

  it.each([
    [200, { scope: 'shipping.read orders.read' }],
    [200, { scp: ['shipping.read', 'orders.read'] }],
    [200, { scp: 'shipping.read orders.read' }],
    [403, {}],
    [403, { scope: 'shipping.read' }],
    [403, { scope: 'shipping.reader orders.read' }],
    [403, { scope: { 'shipping.read': true } }],
  ])('%i for a token with %j', async (status, claims) => {
    const response = await ask(bearer(await keyServer.sign(claims)));
    if (status === 200) expectAnswer(response, 'complete');
    else expectProblem(response, status, 'insufficient-scope');
    const challenge = `${BEARER_CHALLENGE}, error="insufficient_scope", scope="shipping.read orders.read"`;
    expect(response.headers['www-authenticate']).toBe(status === 200 ? undefined : challenge);
  });

  it('accepts each of the keys, without a scope', async () => {
    for (const key of [KEY, ...OTHER_KEYS, Buffer.from(latin).toString('latin1')]) {
      const response = await ask({ 'X-API-Key': key });
      expectAnswer(response, 'complete');
      expect(response.headers.vary).toMatch(/(^|, )X-API-Key$/);
    }
    const refused = await ask();
    expectRefused(refused, 'authentication-required', both);
    expect(refused.headers.vary).toMatch(/(^|, )X-API-Key$/);
  });

  it.each([
    ['the digest', digestOf(KEY)],
    ['a part', KEY.slice(1)],
    ['both', [KEY, ...OTHER_KEYS].join(', ')],
    ['a long one', 'x'.repeat(10_000)],
  ])('refuses %s', async (_, key) => {
    expectRefused(await ask({ 'X-API-Key': key }), 'invalid-credentials', both);
  });

  it('one valid credential is enough; an empty key is none, and one that is sent twice is invalid', async () => {
    const token = bearer(await keyServer.sign({ scope: 'shipping.read orders.read' }));
    const wrong = { 'X-API-Key': 'wrong' };
    expect((await ask({ ...bearer('a.b.c'), 'X-API-Key': KEY })).status).toBe(200);
    expect((await ask({ ...token, ...wrong })).status).toBe(200);
    expectRefused(await ask({ 'X-API-Key': '' }), 'authentication-required', both);
    expectRefused(await ask({ ...bearer('a.b.c'), ...wrong }), 'invalid-credentials', `${INVALID_TOKEN}, ${KEY_CHALLENGE}`); // prettier-ignore
    const options = { headers: { 'X-API-Key': [KEY, KEY] } };
    const twice = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, options);
    expectRefused(twice, 'invalid-credentials', both);
  });

  const spellings: [string, string[], (method: string) => number[]][] = [
    ['an operation', [
      '/api/Shipping/GetShippingDetails', '/API/SHIPPING/GETSHIPPINGDETAILS', '/api/shipping/getshippingdetails/', '/%61pi/Shipping/GetShippingDetails',
      '/api/%53hipping/GetShippingDetails', '/api/Shipping/GetShippingDetail%73', '/api/Shipping/GetShippingDetails/?Limit=1', '/api/Shipping/GetShippingDetails?',
      '/api/Shipping/GetShippingInfoById', '/api/Shipping/GetShippingInfoById/', '/api/Shipping/GetShippingInfoById/SHP-1/', '/api/Shipping/GetShippingInfoById/%53HP-1',
      '/api/Shipping/GetShippingInfoById/%2e%2e', '/api/Shipping/GetShippingInfoById/..%2fx', 'http://other.example/api/Shipping/GetShippingDetails',
    ], (method) => (['GET', 'HEAD'].includes(method) ? [401] : [405])],
    ['what cannot be decoded', [
      '/api/Shipping/GetShippingInfoById/%zz', '/api/Shipping/GetShippingInfoById/%ff', '/API/shipping/getshippinginfobyid/%zz', '/%zz/api/Shipping/GetShippingDetails',
    ], () => [400]],
    ['what is not served', [
      '/api/shipping//GetShippingDetails', '//api/Shipping/GetShippingDetails', '/api/./Shipping/GetShippingDetails', '/docs/../api/Shipping/GetShippingDetails',
      '/health/..%2fapi/Shipping/GetShippingDetails', '/api/Shipping%2fGetShippingDetails', '/api/Shipping/GetShippingDetails;a=b', '/api/Shipping/GetShippingDetails%00',
      '/api\\Shipping\\GetShippingDetails', '/api/Shipping/GetShippingDetails%20', '/api/Shipping',
    ], () => [400, 403, 404, 405]],
  ]; // prettier-ignore

  it.each(spellings)('no spelling of %s avoids authentication', async (_, paths, allowed) => {
    const before = scripted.upstream.calls.length;
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      for (const path of paths) {
        const { status } = await scripted.service.get(path, { method });
        expect([method, path, allowed(method)]).toEqual([method, path, expect.arrayContaining([status])]);
      }
    }
    expect(scripted.upstream.calls).toHaveLength(before);
  });

  it.each(['GetShippingPagedList?PageNumber=0', 'GetShippingDetails?Status=No', 'GetShippingDetails?OrderId=%zz', 'GetShippingSingle', 'GetShippingInfoById/..x', 'GetShippingInfoById/'])(
    'D7 what is wrong with %s is reported to authenticated clients only',
    async (request) => {
      expectProblem(await ask({}, request), 401, 'authentication-required');
      const response = await ask({ 'X-API-Key': KEY }, request);
      if (request.startsWith(PAGED.name)) expectPlainMessage(response, PAGE_NUMBER_MESSAGE);
      else expectBadInput(response);
    },
  ); // prettier-ignore

  it.each<Record<string, string>>([{}, { 'X-API-Key': KEY }, { 'X-API-Key': 'wrong' }])(
    'D7 a path that cannot be decoded is 400 for everybody, and D12 another method 405: %j',
    async (headers) => {
      expectBadInput(await ask(headers, 'GetShippingInfoById/%zz'), 'path', /percent-encoded UTF-8/);
      const response = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { method: 'POST', headers });
      expectProblem(response, 405);
      expect(response.headers.allow).toBe('GET, HEAD');
    },
  );

  it('probes, metrics and documents are public', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml', '/problems']) {
      expect([path, (await scripted.service.get(path)).status]).toEqual([path, 200]);
    }
    expect((await scripted.service.get('/')).status).toBe(302);
  }); // prettier-ignore

  it('D39 keys are not logged', async () => {
    for (const key of [KEY, 'guessed-key']) await ask({ 'X-API-Key': key });
    const log = scripted.service.log.join('\n');
    expect(log).toContain('"status":401');
    for (const secret of [KEY, digestOf(KEY), 'guessed-key']) expect(log).not.toContain(secret);
  });
});
