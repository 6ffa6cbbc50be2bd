import * as fc from 'fast-check';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { createHash } from 'node:crypto';
import {
  expectAnswer,
  expectBadInput,
  expectPlainMessage,
  expectProblem,
  PAGE_NUMBER_MESSAGE,
} from './support/expectations';
import type { HttpAnswer } from './support/http-client';
import { AUDIENCE, bearer, ISSUER, KeyServer } from './support/key-server';
import { DETAILS, eventually, OPERATIONS, PAGED } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/answers';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const NOW = (): number => Math.floor(Date.now() / 1000);
const KEYS = ['first-key-0123456789', 'second-key-0123456789'];
const BEARER_CHALLENGE = 'Bearer realm="shipping-query-service"';
const INVALID_TOKEN =
  /^Bearer realm="shipping-query-service", error="invalid_token", error_description="The token [a-z ]+"/;

async function start(env: Record<string, string>): Promise<ScriptedService> {
  const scripted = await startScriptedService(env);
  scripted.upstream.respondWith(json());
  return scripted;
}

/** A 401 that tells strangers how to come back, and nothing else. */
function expectRefused(answer: HttpAnswer, code: string, challenge: string | RegExp): void {
  expectProblem(answer, 401, code);
  expect(answer.headers['www-authenticate']).toEqual(
    typeof challenge === 'string' ? challenge : expect.stringMatching(challenge),
  );
}

describe('access is off by default', () => {
  it('a credential that nobody asked for changes nothing', async () => {
    const { service, close } = await start({});
    const answer = await service.ask(DETAILS.request, { Authorization: 'Bearer nonsense', 'X-API-Key': 'nonsense' });
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
  const ask = (token: string, operation = DETAILS): Promise<HttpAnswer> =>
    scripted.service.ask(operation.request, bearer(token));

  beforeAll(async () => {
    keyServer = await KeyServer.start();
    scripted = await start(keyServer.env);
  });
  afterAll(async () => {
    await scripted.close();
    await keyServer.close();
  });

  it.each(OPERATIONS)('a good token may ask $name, nobody else may', async (operation) => {
    expectAnswer(operation, await ask(await keyServer.sign(), operation), 'complete');
    const refused = await scripted.service.ask(operation.request);
    expectRefused(refused, 'authentication-required', BEARER_CHALLENGE);
  });

  it.each([
    ['a list of audiences', { aud: ['other', AUDIENCE] }, {}],
    ['clocks apart by less than the skew, expiry', { exp: NOW() - 10 }, {}],
    ['clocks apart by less than the skew, start', { nbf: NOW() + 10 }, {}],
    ['a client instead of a subject', { sub: undefined, client_id: 'machine' }, {}],
    ['nobody named', { sub: undefined }, {}],
    ['no key named, where there is but one', {}, { kid: undefined }],
    ['the type of access tokens', {}, { typ: 'at+jwt' }],
    ['the type of access tokens in full', {}, { typ: 'application/at+JWT' }],
    ['the plain type', {}, { typ: 'JWT' }],
  ])('takes a token with %s', async (_, claims, header) => {
    expectAnswer(DETAILS, await ask(await keyServer.sign(claims, header)), 'complete');
  });

  it.each(['bearer', 'BEARER', 'Bearer '])('takes the scheme spelled %j', async (scheme) => {
    const answer = await scripted.service.ask(DETAILS.request, {
      Authorization: `${scheme} ${await keyServer.sign()}`,
    });
    expectAnswer(DETAILS, answer, 'complete');
  });

  const day = 86_400;
  it.each([
    ['has expired', { exp: NOW() - day }, {}],
    ['expired before the skew', { exp: NOW() - 31 }, {}],
    ['never expires', { exp: undefined }, {}],
    ['expires at no number', { exp: 'tomorrow' }, {}],
    ['is not valid yet', { nbf: NOW() + day }, {}],
    ['is valid from no number', { nbf: 'now' }, {}],
    ['is of another issuer', { iss: `${ISSUER}/` }, {}],
    ['is of no issuer', { iss: undefined }, {}],
    ['is for another audience', { aud: 'other' }, {}],
    ['is for others alone', { aud: ['other', 'third'] }, {}],
    ['is for a part of the audience', { aud: AUDIENCE.slice(1) }, {}],
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
    ['unsigned, with a signature', async () => `${new UnsecuredJWT(claims()).encode()}${(await keyServer.sign()).split('.')[2] ?? ''}`],
    ['unsigned in other letters', () => withHeader({ alg: 'nOnE' })],
    ['signed with the public key as a secret', () => hmac(JSON.stringify(keyServer.key.jwk))],
    ['signed with the coordinates as a secret', () => hmac(String(keyServer.key.jwk.x))],
    ['signed with an empty secret', () => hmac('\0')],
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
    ['of no parts', () => 'nonsense'],
    ['of dots', () => '..'],
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

  it('other schemes are no tokens', async () => {
    for (const Authorization of ['Basic dTpw', 'Digest a="b"', 'Bearertoken', '', ' ', 'Token a.b.c']) {
      const answer = await scripted.service.ask(DETAILS.request, { Authorization });
      expectRefused(answer, 'authentication-required', BEARER_CHALLENGE);
    }
  });

  it('an API key is nothing here', async () => {
    const answer = await scripted.service.ask(DETAILS.request, { 'X-API-Key': KEYS[0] ?? '' });
    expectRefused(answer, 'authentication-required', BEARER_CHALLENGE);
  });

  it('no header makes it fail', async () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).filter((c) => c !== 0x7f).map((c) => String.fromCharCode(c)), maxLength: 200 }); // prettier-ignore
    const part = fc.oneof(text, fc.json().map(encodedText), fc.base64String());
    const token = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    const header = fc.oneof(text, fc.tuple(fc.constantFrom('Bearer', 'bearer', 'BEARER '), token).map(([a, b]) => `${a} ${b}`)); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(header, text, async (authorization, key) => {
        const answer = await scripted.service.ask(DETAILS.request, { Authorization: authorization, 'X-API-Key': key });
        expect(answer.status).toBe(401);
      }),
      { numRuns: 300 },
    );
  });
  const encodedText = (text: string): string => Buffer.from(text).toString('base64url');

  it('nothing of a credential is logged', async () => {
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
  let keyServer: KeyServer;
  const running: ScriptedService[] = [];
  const service = async (env: Record<string, string> = {}): Promise<(token: string) => Promise<HttpAnswer>> => {
    const scripted = await start({ ...keyServer.env, ...env });
    running.push(scripted);
    return (token) => scripted.service.ask(DETAILS.request, bearer(token));
  };

  beforeEach(async () => (keyServer = await KeyServer.start()));
  afterEach(async () => {
    await Promise.all(running.splice(0).map((scripted) => scripted.close()));
    await keyServer.close();
  });

  it('are fetched at start and once, however many ask', async () => {
    const ask = await service();
    await eventually(() => keyServer.fetches === 1);
    const token = await keyServer.sign();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(keyServer.fetches).toBe(1);
  });

  it('may be rotated: a new one is found at once, by everybody who asks at that time, and the old one is forgotten', async () => {
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

  it('a token that was good a moment ago is refused once it has expired', async () => {
    const ask = await service({ AUTH_CLOCK_SKEW_MS: '0' });
    const token = await keyServer.sign({ exp: NOW() + 2 });
    expect((await ask(token)).status).toBe(200);
    expect((await ask(token)).status).toBe(200);
    const deadline = performance.now() + 6_000;
    while ((await ask(token)).status === 200) expect(performance.now()).toBeLessThan(deadline);
    expectRefused(await ask(token), 'invalid-credentials', /The token has expired/);
  });

  it('may overlap: old tokens go on being good', async () => {
    const ask = await service();
    const old = await keyServer.sign();
    await ask(old);
    await keyServer.add();
    expect((await ask(await keyServer.sign())).status).toBe(200);
    expect((await ask(old)).status).toBe(200);
  });

  it('are not asked for again and again because of keys that nobody has', async () => {
    const ask = await service();
    for (let index = 0; index < 30; index += 1) {
      expect((await ask(await keyServer.sign({}, { kid: `none-${index}` }))).status).toBe(401);
    }
    expect(keyServer.fetches).toBe(2);
  });

  it.each([
    ['of another issuer', { iss: 'https://other.example' }],
    ['that has expired', { exp: NOW() - 3_600 }],
  ])('are not asked for because of a token %s', async (_, claims) => {
    const ask = await service();
    await eventually(() => keyServer.fetches === 1);
    await ask(await keyServer.sign());
    expect((await ask(await keyServer.sign(claims, { kid: 'none' }))).status).toBe(401);
    expect(keyServer.fetches).toBe(1);
  });

  type Misbehaviour = NonNullable<KeyServer['misbehaviour']>;
  const misbehaviours: [string, Misbehaviour][] = [
    ['hangs', () => undefined],
    ['drips', (response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => { clearInterval(timer); });
    }],
    ['resets', (response) => response.destroy()],
    ['answers 500', (response) => response.writeHead(500).end('{}')],
    ['redirects', (response) => response.writeHead(302, { location: keyServer.url }).end()],
    ['sends HTML', (response) => response.end('<html>')],
    ['sends nothing', (response) => response.end()],
    ['sends null', (response) => response.end('null')],
    ['sends no set', (response) => response.end('{"keys":"none"}')],
    ['sends a set of texts', (response) => response.end('{"keys":["a"]}')],
    ['sends an empty set', (response) => response.end('{"keys":[]}')],
    ['sends without end', (response) => response.end(`{"keys":[],"more":"${'x'.repeat(2_000_000)}"}`)],
  ]; // prettier-ignore

  it.each(misbehaviours)(
    'key server %s: 503 until it is well, and what was known goes on',
    async (_, misbehave) => {
      const knowing = await service();
      const known = await keyServer.sign();
      expect((await knowing(known)).status).toBe(200);
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
      for (const recovering of [ask, knowing]) {
        const deadline = performance.now() + 5_000;
        while ((await recovering(fresh)).status !== 200) expect(performance.now()).toBeLessThan(deadline);
      }
      for (const { service: { log } } of running) {
      const about = log.filter((line) => line.includes('token issuer'));
      expect([about.length, about.every((line) => !line.includes('127.0.0.1'))]).toEqual([2, true]);
    } // prettier-ignore
    },
    20_000,
  );

  it('a key server that is not there keeps nothing from starting', async () => {
    await keyServer.close();
    const ask = await service();
    expectProblem(await ask(await keyServer.sign()), 503, 'keys-unavailable');
    keyServer = await KeyServer.start();
  });

  it.each(['RS256', 'PS512', 'ES384', 'EdDSA'])('may be of %s', async (alg) => {
    await keyServer.rotate(alg);
    const ask = await service();
    expect((await ask(await keyServer.sign())).status).toBe(200);
  });

  it('of algorithms that were not allowed are not used', async () => {
    const ask = await service({ AUTH_ALGORITHMS: 'RS256, PS256' });
    expect((await ask(await keyServer.sign())).status).toBe(401);
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
    [{ scope: 'orders.read other shipping.read' }],
    [{ scp: ['shipping.read', 'orders.read'] }],
    [{ scp: 'shipping.read orders.read' }],
  ])('%j is enough', async (claims) => {
    const answer = await scripted.service.ask(DETAILS.request, bearer(await keyServer.sign(claims)));
    expectAnswer(DETAILS, answer, 'complete');
  });

  it.each([
    [{}],
    [{ scope: '' }],
    [{ scope: 'shipping.read' }],
    [{ scope: 'shipping.reader orders.read' }],
    [{ scope: 'Shipping.Read Orders.Read' }],
    [{ scope: { 'shipping.read': true } }],
    [{ scp: [['shipping.read', 'orders.read']] }],
  ])('%j is not: 403', async (claims) => {
    const answer = await scripted.service.ask(DETAILS.request, bearer(await keyServer.sign(claims)));
    expectProblem(answer, 403, 'insufficient-scope');
    expect(answer.headers['www-authenticate']).toBe(
      `${BEARER_CHALLENGE}, error="insufficient_scope", scope="shipping.read orders.read"`,
    );
  });

  it('an API key needs none', async () => {
    expectAnswer(DETAILS, await scripted.service.ask(DETAILS.request, { 'X-API-Key': KEYS[0] ?? '' }), 'complete');
  });
});

describe('API keys', () => {
  let scripted: ScriptedService;
  const latin = 'caf\u00e9-key-0123456789';
  const withKey = (key: string): Promise<HttpAnswer> => scripted.service.ask(DETAILS.request, { 'X-API-Key': key });

  beforeAll(async () => {
    const digests = [...KEYS.map(digestOf), digestOf(latin).toUpperCase()];
    scripted = await start({ AUTH_API_KEYS_SHA256: ` ${digests.join(' , ')},`, CORS_ORIGINS: 'https://page.example' });
  });
  afterAll(() => scripted.close());

  it.each(OPERATIONS)('each of them may ask $name, nobody else may', async (operation) => {
    for (const key of [...KEYS, Buffer.from(latin).toString('latin1')]) {
      const answer = await scripted.service.ask(operation.request, { 'X-API-Key': key });
      expectAnswer(operation, answer, 'complete');
      expect(answer.headers.vary).toMatch(/(^|, )X-API-Key$/);
    }
    const refused = await scripted.service.ask(operation.request);
    expectRefused(refused, 'authentication-required', 'ApiKey realm="shipping-query-service"');
    expect(refused.headers.vary).toMatch(/(^|, )X-API-Key$/);
  });

  it.each([
    ['another', 'third-key'],
    ['the digest', digestOf(KEYS[0] ?? '')],
    ['one with a space', `${KEYS[0] ?? ''} x`],
    ['a part', KEYS[0]?.slice(1) ?? ''],
    ['both', KEYS.join(', ')],
    ['a long one', 'x'.repeat(10_000)],
  ])('refuses %s', async (_, key) => {
    expectRefused(await withKey(key), 'invalid-credentials', 'ApiKey realm="shipping-query-service"');
  });

  it('a key given twice is none', async () => {
    const [key = ''] = KEYS;
    const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, {
      headers: { 'X-API-Key': [key, key] },
    });
    expectProblem(answer, 401, 'invalid-credentials');
  });

  it('an empty key is none', async () => {
    expectProblem(await withKey(''), 401, 'authentication-required');
  });

  it('a bearer token is nothing here', async () => {
    const answer = await scripted.service.ask(DETAILS.request, bearer('a.b.c'));
    expectRefused(answer, 'authentication-required', 'ApiKey realm="shipping-query-service"');
  });

  it('no spelling of a path leads around it', async () => {
    const paths = [
      '/api/Shipping/GetShippingDetails', '/API/SHIPPING/GETSHIPPINGDETAILS', '/api/shipping/getshippingdetails/',
      '/%61pi/Shipping/GetShippingDetails', '/api/%53hipping/GetShippingDetails', '/api/Shipping/GetShippingDetail%73',
      '/api/Shipping/GetShippingDetails/?Limit=1', '/api/Shipping/GetShippingDetails?',
      '/api/Shipping/GetShippingInfoById', '/api/Shipping/GetShippingInfoById/', '/api/Shipping/GetShippingInfoById/SHP-1/',
      '/api/Shipping/GetShippingInfoById/%53HP-1', '/api/Shipping/GetShippingInfoById/%2e%2e', '/api/Shipping/GetShippingInfoById/%zz',
      '/api/Shipping/GetShippingInfoById/%ff', '/API/shipping/getshippinginfobyid/%zz', '/api/Shipping/GetShippingInfoById/..%2fx',
      'http://other.example/api/Shipping/GetShippingDetails',
    ]; // prettier-ignore
    const unserved = [
      '/api/shipping//GetShippingDetails', '//api/Shipping/GetShippingDetails', '/api/./Shipping/GetShippingDetails',
      '/docs/../api/Shipping/GetShippingDetails', '/health/..%2fapi/Shipping/GetShippingDetails', '/api/Shipping%2fGetShippingDetails',
      '/api/Shipping/GetShippingDetails;a=b', '/api/Shipping/GetShippingDetails%00', '/api\\Shipping\\GetShippingDetails', '/api/Shipping/GetShippingDetails%20', '/api/Shipping',
    ]; // prettier-ignore
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      for (const path of [...paths, ...unserved]) {
        const { status } = await scripted.service.get(path, { method });
        const allowed = paths.includes(path) ? [401] : [400, 401, 403, 404];
        expect([method, path, allowed.includes(status) ? 'refused' : status]).toEqual([method, path, 'refused']);
      }
    }
    expect(scripted.upstream.calls.filter(({ path }) => path.includes('..'))).toEqual([]);
  });

  it.each(['GetShippingPagedList?PageNumber=0', 'GetShippingDetails?Status=No', 'GetShippingSingle', 'GetShippingInfoById/..x', 'GetShippingInfoById/', 'GetShippingInfoById/%zz'])(
    'a stranger is not told what is wrong with %s, a caller is',
    async (request) => {
      expectProblem(await scripted.service.ask(request), 401, 'authentication-required');
      const told = await scripted.service.ask(request, { 'X-API-Key': KEYS[0] ?? '' });
      if (request.startsWith(PAGED.name)) expectPlainMessage(told, PAGE_NUMBER_MESSAGE);
      else expectBadInput(told);
    },
  ); // prettier-ignore

  it('other methods are 405 to callers, 401 to strangers', async () => {
    const path = `/api/Shipping/${DETAILS.request}`;
    const told = await scripted.service.get(path, { method: 'POST', headers: { 'X-API-Key': KEYS[0] ?? '' } });
    expectProblem(told, 405);
    expectProblem(await scripted.service.get(path, { method: 'POST' }), 401);
  });

  it.each(['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml'])(
    '%s stays open',
    async (path) => {
      expect((await scripted.service.get(path)).status).toBe(200);
    },
  );

  it('browsers may ask without it what they may send, and read why they were refused', async () => {
    const Origin = 'https://page.example';
    const preflight = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, {
      method: 'OPTIONS',
      headers: { Origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'x-api-key' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, expect.stringContaining('Authorization, X-API-Key')]); // prettier-ignore
    const refused = await scripted.service.ask(DETAILS.request, { Origin });
    expect([refused.status, refused.headers['access-control-allow-origin'], refused.headers['access-control-expose-headers']]).toEqual([401, Origin, expect.stringContaining('WWW-Authenticate')]); // prettier-ignore
  });

  it('nothing of a key is logged', async () => {
    await withKey(KEYS[0] ?? '');
    await withKey('guessed-key');
    const log = scripted.service.log.join('\n');
    expect(log).toContain('"status":401');
    for (const secret of [...KEYS, ...KEYS.map(digestOf), 'guessed-key']) expect(log).not.toContain(secret);
  });
});

describe('tokens and keys together', () => {
  it('either is enough, whatever the other is', async () => {
    const keyServer = await KeyServer.start();
    const scripted = await start({ ...keyServer.env, AUTH_API_KEYS_SHA256: KEYS.map(digestOf).join() });
    const token = await keyServer.sign();
    const [key = ''] = KEYS;
    const statusOf = async (headers: Record<string, string>): Promise<number> =>
      (await scripted.service.ask(DETAILS.request, headers)).status;
    expect(await statusOf({ 'X-API-Key': key })).toBe(200);
    expect(await statusOf(bearer(token))).toBe(200);
    expect(await statusOf({ ...bearer('a.b.c'), 'X-API-Key': key })).toBe(200);
    expect(await statusOf({ ...bearer(token), 'X-API-Key': 'wrong' })).toBe(200);
    const both = `${BEARER_CHALLENGE}, ApiKey realm="shipping-query-service"`;
    expectRefused(await scripted.service.ask(DETAILS.request), 'authentication-required', both);
    const worse = await scripted.service.ask(DETAILS.request, { ...bearer('a.b.c'), 'X-API-Key': 'wrong' });
    expectRefused(worse, 'invalid-credentials', INVALID_TOKEN);
    await scripted.close();
    await keyServer.close();
  });
});
