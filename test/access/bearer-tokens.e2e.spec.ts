import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { AUDIENCE, bearer, ISSUER } from '../../testing/key-server';
import { wireBodyOf, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectProblem, expectResponse } from '../support/expected';
import { DETAILS, OPERATIONS } from '../support/operations';
import { type HttpResponse, useStart } from '../support/service';
import {
  BEARER_CHALLENGE,
  digestOf,
  expectCause,
  expectRefused,
  EXPIRED_TOKEN,
  INVALID_TOKEN,
  now,
  useGuardedService,
} from './access';

const start = useStart();

it('D76 is off by default: credentials are ignored', async () => {
  const { service } = await start();
  const nonsense = { Authorization: 'Bearer nonsense', 'X-API-Key': 'nonsense' };
  const response = await service.request(DETAILS.request, nonsense);
  expectResponse(response, 'complete');
  for (const header of ['www-authenticate', 'ratelimit']) expect(response.headers).not.toHaveProperty(header);
  expect(response.headers.vary).not.toContain('X-API-Key');
});

describe('D76 bearer tokens', () => {
  const guarded = useGuardedService();
  const ask = (token: string, operation = DETAILS): Promise<HttpResponse> =>
    guarded.service.request(operation.request, bearer(token));

  it.each(OPERATIONS)('$name requires a valid token', async (operation) => {
    expectResponse(await ask(await guarded.keyServer.sign(), operation), 'complete');
    const refused = await guarded.service.request(operation.request);
    expectRefused(refused, 'authentication-required', BEARER_CHALLENGE);
  });

  it.each([
    ['a list of audiences', { aud: ['other', AUDIENCE] }, {}],
    ['clocks apart by less than the skew, expiry', { exp: now() - 10 }, {}],
    ['clocks apart by less than the skew, start', { nbf: now() + 10 }, {}],
    ['nobody named', { sub: undefined }, {}],
    ['the type of access tokens in full', {}, { typ: 'application/at+JWT' }],
  ])('takes a token with %s', async (_, claims, header) => {
    const token = await guarded.keyServer.sign(claims, header);
    expectResponse(await ask(token), 'complete');
    for (const scheme of ['BEARER', 'Bearer ']) {
      const headers = { Authorization: `${scheme} ${token}` };
      expect((await guarded.service.request(DETAILS.request, headers)).status).toBe(200);
    }
  });

  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = (): Record<string, unknown> => ({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: now() + 300 });

  async function hmac(secret: string): Promise<string> {
    const header = { alg: 'HS256', kid: guarded.keyServer.key.jwk.kid };
    return new SignJWT(claims()).setProtectedHeader(header).sign(new TextEncoder().encode(secret));
  }

  async function signedByStranger(header: Record<string, unknown>): Promise<string> {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = header.jwk === true ? { jwk: await exportJWK(publicKey) } : {};
    return new SignJWT(claims()).setProtectedHeader({ alg: 'ES256', ...header, ...jwk }).sign(privateKey);
  }

  const withClaims = async (payload: string): Promise<string> => {
    const [header = '', , signature = ''] = (await guarded.keyServer.sign()).split('.');
    return [header, payload, signature].join('.');
  };

  const elsewhere = (): Record<string, unknown> => ({ jku: guarded.keyServer.url, x5u: guarded.keyServer.url });

  const bad: [string, string, () => Promise<string> | string][] = [
    ['that never expires', 'without expiry', () => guarded.keyServer.sign({ exp: undefined })],
    ['that is not valid yet', 'not yet valid', () => guarded.keyServer.sign({ nbf: now() + 86_400 })],
    ['of another issuer', 'issuer', () => guarded.keyServer.sign({ iss: `${ISSUER}/` })],
    ['for another audience', 'audience', () => guarded.keyServer.sign({ aud: 'other' })],
    ['of another type', 'type', () => guarded.keyServer.sign({}, { typ: 'logout+jwt' })],
    ['that names an unknown key', 'unknown key', () => guarded.keyServer.sign({}, { kid: 'unknown' })],
    ['unsigned', 'algorithm', () => new UnsecuredJWT(claims()).encode()],
    ['signed with the public key as a secret', 'algorithm', () => hmac(JSON.stringify(guarded.keyServer.key.jwk))],
    [
      'signed with another key of the same name',
      'signature',
      () => signedByStranger({ kid: guarded.keyServer.key.jwk.kid }),
    ],
    ['signed with a key that it brings along', 'signature', () => signedByStranger({ jwk: true })],
    ['signed with a key that is elsewhere', 'signature', () => signedByStranger(elsewhere())],
    ['with its claims changed', 'signature', () => withClaims(encoded({ ...claims(), sub: 'root' }))],
    ['empty', 'malformed', () => ''],
  ];

  it.each(bad)('refuses a token %s, and fetches no keys for it; D81 the log has: %s', async (_, cause, forge) => {
    await ask(await guarded.keyServer.sign());
    const refused = await ask(await forge());
    expectRefused(refused, 'invalid-credentials', INVALID_TOKEN);
    await expectCause(guarded.service, refused, cause);
    expect(guarded.keyServer.fetches).toBe(1);
  });

  it('refuses a token that expired before the skew of 30 s', async () => {
    const refused = await ask(await guarded.keyServer.sign({ exp: now() - 31 }));
    expectRefused(refused, 'invalid-credentials', EXPIRED_TOKEN);
    await expectCause(guarded.service, refused, 'expired');
  });

  it('ignores other schemes than Bearer, and API keys', async () => {
    for (const Authorization of ['Basic dTpw', 'Digest a="b"', 'Bearertoken', '', ' ', 'Token a.b.c']) {
      const response = await guarded.service.request(DETAILS.request, { Authorization, 'X-API-Key': 'some-key' });
      expectRefused(response, 'authentication-required', BEARER_CHALLENGE);
    }
  });

  it('D39 tokens are not logged', async () => {
    const token = await guarded.keyServer.sign();
    for (const sent of [token, `${token}x`]) await ask(sent);
    const log = guarded.service.log.join('\n');
    for (const part of token.split('.')) expect(log).not.toContain(part);
  });
});

const PLAN = { 'https://example.com/plan': 7 };
const KEY = 'key-0123456789';

describe('D76 FORWARD_CLAIMS', () => {
  const guarded = useGuardedService({
    FORWARD_CLAIMS: 'tenant:X-Tenant-Id, https://example.com/plan:X-Plan',
    FORWARD_HEADERS: 'X-TENANT-ID, Accept-Language',
    AUTH_API_KEYS_SHA256: digestOf(KEY),
    CACHE_TTL_MS: '60000',
  });
  const ask = async (claims: Record<string, unknown>, headers = {}, { request } = DETAILS): Promise<HttpResponse> =>
    guarded.service.request(request, { ...bearer(await guarded.keyServer.sign({ ...PLAN, ...claims })), ...headers });
  const tenants = (): unknown[] => guarded.upstream.calls.map(({ headers }) => headers['x-tenant-id']);

  beforeEach(() => {
    guarded.upstream.respondWith(({ headers }) =>
      json(wireBodyOf(wireRecord({ OrderId: `order of ${String(headers['x-tenant-id'])}` }))),
    );
  });

  it.each(OPERATIONS)('$name: each tenant gets its own data, from the cache too', async (operation) => {
    for (const tenant of ['north', 'south', 'north', 'south']) {
      expect((await ask({ tenant }, {}, operation)).body).toContain(`order of ${tenant}"`);
    }
    expect(tenants()).toEqual(['north', 'south']);
    expect(guarded.upstream.calls[0]?.headers['x-plan']).toBe('7');
  });

  it('the claim replaces what the client sent', async () => {
    const response = await ask({ tenant: 'east' }, { 'X-Tenant-Id': 'north', 'Accept-Language': 'de' });
    expect(response.body).toContain('order of east"');
    expect(tenants()).toEqual(['east']);
    expect(guarded.upstream.calls[0]?.headers['accept-language']).toBe('de');
    expect(response.headers.vary).not.toMatch(/tenant/i);
  });

  const NO_TENANTS = [undefined, '', ' ', ' north', 'north ', '\tnorth', 'é', 'a\r\nb', ['north'], {}, null, true, 1.5];
  it.each(NO_TENANTS.map((tenant) => [tenant]))('a token with %j for a tenant is 403', async (tenant) => {
    for (const operation of OPERATIONS) {
      const response = await ask({ tenant }, { 'X-Tenant-Id': 'north' }, operation);
      expectProblem(response, 403, 'forbidden');
      expect(response.headers).not.toHaveProperty('www-authenticate');
    }
    expect(guarded.upstream.calls).toEqual([]);
  });

  it('a key without a token is 403 before validation, no key 401', async () => {
    expectProblem(await guarded.service.request('GetShippingPagedList?PageSize=x', { 'X-API-Key': KEY }), 403);
    expectProblem(await guarded.service.request(DETAILS.request, { 'X-Tenant-Id': 'north' }), 401);
    expect((await guarded.service.get('/health/live')).status).toBe(200);
  });
});
