import { createHash } from 'node:crypto';
import type { Behaviour } from '../../../testing/upstream/exchange';
import type { ReceivedCall } from '../../../testing/upstream/received-call';
import { wireBodyOf, wireRecord } from '../../../testing/upstream/records';
import { json } from '../../../testing/upstream/responses';
import { expectBadInput, expectProblem } from '../../support/expected';
import { BY_ID, DETAILS, type Operation, OPERATIONS } from '../../support/operations';
import { type HttpResponse, type ScriptedService, useStart } from '../../support/service';

const CACHE = { CACHE_TTL_MS: '60000', CACHE_STALE_IF_ERROR_MS: '60000', EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
const FORWARD = { FORWARD_HEADERS: 'X-Tenant-Id, Accept-Language' };
const NORTH = { 'X-Tenant-Id': 'tenant-north' };
const SOUTH = { 'x-tenant-id': 'tenant-south' };

/** The data of a tenant, for every operation. */
const dataOf = (tenant = 'nobody'): object => wireBodyOf(wireRecord({ CreatedBy: 'x', OrderId: `order of ${tenant}` }));
const tenantOf = ({ headers }: ReceivedCall): string | undefined => headers['x-tenant-id'];
const own = (call: ReceivedCall): Behaviour => json(dataOf(tenantOf(call)));

let scripted: ScriptedService;
const ask = ({ request }: Operation, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  scripted.service.request(request, headers);

const startService = useStart(FORWARD);
async function start(env: Record<string, string> = {}): Promise<void> {
  scripted = await startService(env);
  scripted.upstream.respondWith(own);
}

describe('with a cache', () => {
  beforeEach(() => start(CACHE));

  it.each(OPERATIONS)('D22 $name: to each tenant its own', async (operation) => {
    for (const round of [1, 2]) {
      for (const tenant of [NORTH, SOUTH]) {
        const response = await ask(operation, tenant);
        expect(response.body).toContain(`order of ${Object.values(tenant).join()}`);
        expect(String(response.headers['cache-status'])).toContain(round === 1 ? 'fwd=miss' : '; hit');
      }
    }
    expect(scripted.upstream.calls.map(tenantOf)).toEqual(['tenant-north', 'tenant-south']);
  });

  it('D22 values of different headers do not become the same key', async () => {
    await ask(DETAILS, { 'X-Tenant-Id': 'a' });
    await ask(DETAILS, { 'Accept-Language': 'a' });
    await ask(DETAILS, { 'X-Tenant-Id': 'a","Accept-Language":"a' });
    await ask(DETAILS, { 'X-Tenant-Id': 'a', 'Accept-Language': 'a' });
    await ask(DETAILS, { 'X-Tenant-Id': '' });
    await ask(DETAILS);
    expect(scripted.upstream.calls).toHaveLength(6);
  });
});

it.each([
  ['Müller', 'é'],
  ['a\tb', 'a\tb'],
])('D22 %j cannot be sent on: 400 that names the header', async (_, value) => {
  await start();
  for (const operation of OPERATIONS) {
    const response = await ask(operation, { 'x-tenant-id': value });
    expectBadInput(response, 'X-Tenant-Id', /^must consist of visible ASCII characters and spaces$/);
    expect(response.body + scripted.service.log.join('')).not.toContain(value);
  }
  const both = await ask(DETAILS, { 'x-tenant-id': value, 'accept-language': value });
  expect(both.json().errors).toHaveLength(2);
  const headers = { 'x-tenant-id': value };
  const posted = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { method: 'POST', headers });
  expect([posted.status, (await scripted.service.get('/health/live', { headers })).status]).toEqual([405, 200]);
  expect(scripted.upstream.calls).toEqual([]);
});

it('D22 authentication comes first', async () => {
  await start({ AUTH_API_KEYS_SHA256: createHash('sha256').update('key').digest('hex') });
  expectProblem(await ask(BY_ID, { 'X-Tenant-Id': 'é' }), 401);
  expectBadInput(await ask(BY_ID, { 'X-Tenant-Id': 'é', 'X-API-Key': 'key' }), 'X-Tenant-Id');
});
