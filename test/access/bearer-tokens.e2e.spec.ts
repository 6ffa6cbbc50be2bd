import { bearer, KeyServer } from '../../testing/key-server';
import { wireBodyOf, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectProblem, expectResponse } from '../support/expected';
import { DETAILS, OPERATIONS } from '../support/operations';
import { type HttpResponse, useStart } from '../support/service';
import { useStarted } from '../support/started';
import { BEARER_CHALLENGE, digestOf, expectCause, expectRefused, INVALID_TOKEN, useGuardedService } from './access';

const EXPIRED_TOKEN = `${BEARER_CHALLENGE}, error="invalid_token", error_description="The bearer token has expired."`;

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

  it.each(['BEARER', 'Bearer '])('takes a token behind %j', async (scheme) => {
    const headers = { Authorization: `${scheme} ${await guarded.keyServer.sign()}` };
    expectResponse(await guarded.service.request(DETAILS.request, headers), 'complete');
  });

  it.each([
    ['of another issuer', 'issuer', INVALID_TOKEN, () => ({ iss: 'other' })],
    ['that has expired', 'expired', EXPIRED_TOKEN, () => ({ exp: Math.floor(Date.now() / 1000) - 31 })],
  ])('refuses a token %s; D81 the log has: %s', async (_, cause, challenge, claims) => {
    const refused = await ask(await guarded.keyServer.sign(claims()));
    expectRefused(refused, 'invalid-credentials', challenge);
    await expectCause(guarded.service, refused, cause);
  });

  it('ignores other schemes than Bearer, and API keys', async () => {
    for (const Authorization of ['Basic dTpw', 'Digest a="b"', 'Bearertoken', '', ' ', 'Token a.b.c']) {
      const response = await guarded.service.request(DETAILS.request, { Authorization, 'X-API-Key': 'some-key' });
      expectRefused(response, 'authentication-required', BEARER_CHALLENGE);
    }
  });
});

describe('D76 keys of the issuer', () => {
  const keyServer = useStarted(() => KeyServer.start());

  it('that cannot be had: 503 with Retry-After, which is counted', async () => {
    const { service } = await start(keyServer().env);
    keyServer().misbehaviour = (response) => response.destroy();
    const refused = await service.request(DETAILS.request, bearer(await keyServer().sign()));
    expectProblem(refused, 503, 'keys-unavailable');
    expect([refused.headers['retry-after'], refused.headers['www-authenticate']]).toEqual(['1', undefined]);
    await expectCause(service, refused, 'keys unavailable');
    expect(await service.metric('shipping_guard_failures_total{failure="keys"}')).toBe(1);
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
