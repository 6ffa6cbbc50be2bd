import { bearer } from '../../testing/key-server';
import { wireBodyOf, wireRecord } from '../../testing/upstream/records';
import { json } from '../../testing/upstream/responses';
import { expectProblem } from '../support/expected';
import type { HttpResponse } from '../support/http-client';
import { DETAILS, OPERATIONS } from '../support/operations';
import { digestOf, useGuardedService } from './access';

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
