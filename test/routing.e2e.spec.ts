import { METHODS } from 'node:http';
import { expectProblem } from './support/expectations';
import type { HttpResponse } from './support/http-client';
import { OPERATIONS } from './support/operations';
import { useScriptedService } from './support/service';

const DETAILS_PATH = '/api/Shipping/GetShippingDetails';
const SERVICE_ROUTES = ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml', '/'];
/** QUERY is not a method of older versions of Node. */
const OTHER_METHODS = ['POST', 'PUT', 'DELETE', 'TRACE', 'QUERY'].filter((method) => METHODS.includes(method));

describe('routing', () => {
  const scripted = useScriptedService();

  it('D12 the case of an identifier is kept', async () => {
    await scripted.service.get('/API/SHIPPING/GETSHIPPINGINFOBYID/sHp-aBc');
    expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/sHp-aBc');
  });

  it.each([
    ['D4', 'GetShippingPagedList?PageNumber=0', 400],
    ['D9', 'GetShippingInfoById/-', 400],
    ['D10', 'GetShippingInfoById', 400],
    ['D12', 'Nowhere', 404],
  ])('%s HEAD %s fails as GET does, without the body', async (_, request, code) => {
    const got = await scripted.service.request(request);
    const head = await scripted.service.get(`/api/Shipping/${request}`, { method: 'HEAD' });
    expect([got.status, head.status, head.body]).toEqual([code, code, '']);
    expect(head.headers['content-type']).toBe(got.headers['content-type']);
  });

  it.each(['/api/Shipping/GetShippingInfoById/-bad-', '/api/Shipping/GetShippingInfoById', ...SERVICE_ROUTES])(
    'D12 %s: methods other than GET and HEAD are 405 with Allow',
    async (path) => {
      for (const method of OTHER_METHODS) {
        const answer = await scripted.service.get(path, { method });
        expectProblem(answer, 405);
        expect(answer.headers.allow).toBe('GET, HEAD');
      }
      expect(scripted.upstream.calls).toEqual([]);
    },
  );

  it.each([
    ['broken JSON', 'application/json', '{"a":'],
    ['a type that nobody knows', 'application/x-nothing', 'x'],
    ['two megabytes', 'application/json', JSON.stringify('x'.repeat(2_000_000))],
  ])('D12 POST with %s is 405 too, and 404 where there is no path', async (_, type, body) => {
    const headers = { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) };
    expectProblem(await scripted.service.get(DETAILS_PATH, { method: 'POST', headers, body }), 405);
    expectProblem(await scripted.service.get('/nowhere', { method: 'POST', headers, body }), 404);
  });

  it.each([
    '/api/Shipping',
    '/api/Shipping/GetShippingDetails/x',
    '/api/Shipping/GetShippingInfoById/SHP-1/items',
    '/api/Shipping/GetShippingInfoById/a/../b',
    '/api//Shipping/GetShippingDetails',
    '/health/nothing',
  ])('D15 %s is 404', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await scripted.service.get(path, { method });
      expectProblem(answer, 404, 'route-not-found');
    }
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each(['/Health/Live', '/health/live/', '/HEALTH/READY/', '/Metrics', '/OpenApi.json', '/openapi.yaml', '/DOCS'])(
    'D12 GET and HEAD %s match too',
    async (path) => {
      expect((await scripted.service.get(path)).status).toBe(200);
      const head = await scripted.service.get(path, { method: 'HEAD' });
      expect([head.status, head.body]).toEqual([200, '']);
    },
  );

  it('D26 without CORS_ORIGINS no origin is allowed', async () => {
    const { headers } = await scripted.service.request('GetShippingDetails', { Origin: 'https://app.example' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

describe('D12 D26 routing with CORS_ORIGINS', () => {
  const ORIGIN = 'https://app.example';
  const scripted = useScriptedService({ CORS_ORIGINS: `${ORIGIN},http://localhost:8080` });
  const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET', 'X-Request-Id': 'REQ-1' };
  const options = (path: string, headers: Record<string, string>): Promise<HttpResponse> =>
    scripted.service.get(path, { method: 'OPTIONS', headers });

  it.each(OPERATIONS)('D12 D21 D22 a preflight for $name has the headers of all responses', async ({ request }) => {
    const { status, body, headers } = await options(`/api/Shipping/${request}`, PREFLIGHT);
    expect([status, body, headers['x-request-id']]).toEqual([204, '', 'REQ-1']);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringContaining('Prefer'),
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    expect(headers.vary?.split(', ').sort()).toEqual(['Origin', 'Prefer', 'accept-encoding']);
  });

  it.each([
    ['neither header', {}],
    ['an origin alone', { Origin: ORIGIN }],
    ['a method alone', { 'Access-Control-Request-Method': 'GET' }],
  ])('D12 OPTIONS with %s is no preflight, and 405', async (_, headers) => {
    const answer = await options(DETAILS_PATH, headers);
    expect([answer.status, answer.headers.allow, answer.json().code]).toEqual([405, 'GET, HEAD', 'method-not-allowed']);
  });

  it('D12 D40 a preflight of no route is 404, and for a path that cannot be decoded 400', async () => {
    expect((await options('/nope', PREFLIGHT)).status).toBe(404);
    expectProblem(await options('/api/Shipping/GetShippingInfoById/%E0%A4%A', PREFLIGHT), 400, 'invalid-parameters');
  });

  it.each(['https://app.example.evil.example', 'http://app.example', 'null'])(
    'D26 %s may read neither a preflight nor a response',
    async (origin) => {
      const preflight = await options(DETAILS_PATH, { ...PREFLIGHT, Origin: origin });
      expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
      for (const request of ['GetShippingDetails', 'GetShippingInfoById/%E0%A4%A']) {
        const { headers } = await scripted.service.request(request, { Origin: origin });
        expect(headers).not.toHaveProperty('access-control-allow-origin');
        expect(headers.vary).toMatch(/\bOrigin\b/i);
      }
    },
  );

  it.each([
    ['an answer', 200, 'GetShippingDetails'],
    ['a plain message', 400, 'GetShippingPagedList?PageNumber=0'],
    ['a problem', 400, 'GetShippingDetails?Limit=0'],
    ['no route', 404, 'Nowhere'],
    ['a path that cannot be decoded', 400, 'GetShippingInfoById/%E0%A4%A'],
  ])('D26 D55 %s (%i) may be read by an allowed origin, and varies by both headers', async (_, code, request) => {
    const { status, headers } = await scripted.service.request(request, { Origin: 'http://localhost:8080' });
    expect([status, headers['access-control-allow-origin']]).toEqual([code, 'http://localhost:8080']);
    expect(headers['access-control-expose-headers']).toMatch(/\bShipping-Completeness\b.*\bDate\b/);
    expect(headers.vary).toMatch(/\bPrefer\b.*\bOrigin\b|\bOrigin\b.*\bPrefer\b/);
  });
});
