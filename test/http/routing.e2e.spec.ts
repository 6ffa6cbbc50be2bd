import { expectProblem, expectResponse } from '../support/expected';
import { OPERATIONS } from '../support/operations';
import { type HttpResponse, useScriptedService } from '../support/service';

const DETAILS_PATH = '/api/Shipping/GetShippingDetails';
const UNDECODABLE = '/api/Shipping/GetShippingInfoById/%E0%A4%A';
const ROUTES = [
  ...OPERATIONS.map(({ request }) => `/api/Shipping/${request}`),
  ...['/api/Shipping/GetShippingInfoById', '/health/live', '/health/ready', '/metrics', '/docs', '/docs/index.html'],
  '/openapi.json',
];

describe('routing', () => {
  const scripted = useScriptedService();
  const send = (path: string, method: string): Promise<HttpResponse> => scripted.service.get(path, { method });

  it.each(ROUTES)('D12 405: %s', async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const refused = await send(path, method);
      expectProblem(refused, 405, 'method-not-allowed');
      expect(refused.headers.allow).toBe('GET, HEAD');
    }
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each([
    ...OPERATIONS.map(({ request }) => ({ request, code: 200 })),
    { request: 'GetShippingPagedList?PageNumber=0', code: 400 },
    { request: 'GetShippingInfoById/-', code: 400 },
    { request: 'GetShippingInfoById', code: 400 },
    { request: 'Nowhere', code: 404 },
  ])('D12 HEAD $request is as GET is', async ({ request, code }) => {
    const got = await scripted.service.request(request);
    const head = await send(`/api/Shipping/${request}`, 'HEAD');
    expect([got.status, head.status, head.body]).toEqual([code, code, '']);
    for (const name of ['content-type', 'shipping-completeness', 'etag', 'link', 'cache-control', 'content-length']) {
      if (code !== 404 || name !== 'content-length')
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
    }
  });

  it.each([
    ...['/api/Shipping', '/api/Shipping/GetShippingDetails/x', '/api/Shipping/GetShippingInfoById/SHP-1/items'],
    ...['/api/Shipping/GetShippingInfoById/a/../b', '//evil.example/api/Shipping/GetShippingDetails'],
    ...['//evil.example', '/evil.example//', '/health/nothing', '/docs-json', '/docs-yaml'],
  ])('D15 %s is 404', async (path) => {
    for (const method of ['GET', 'POST']) expectProblem(await send(path, method), 404, 'route-not-found');
    expect(scripted.upstream.calls).toEqual([]);
  });

  it.each([
    ...['/Health/Live', '/health/live/', '/HEALTH/READY/', '/Metrics', '/OpenApi.json', '/DOCS'],
    ...['//docs', '/docs//', '//openapi.json', '///problems', '//health//live', '//metrics'],
  ])('D12 GET and HEAD %s match', async (path) => {
    for (const method of ['GET', 'HEAD']) expect((await send(path, method)).status).toBe(200);
    expectProblem(await send(path, 'POST'), 405, 'method-not-allowed');
  });

  it.each(OPERATIONS)('D12 $name in another case, and with repeated slashes', async ({ request, externalPath }) => {
    const [route = '', query = ''] = request.split('?');
    const upper = `/API/shipping/${route.replace(/^\w+/, (name) => name.toUpperCase())}/`;
    const repeated = `/api//Shipping///${route.replace('/', '//')}//`;
    for (const path of [upper, `//api/Shipping/${route}`, repeated]) {
      scripted.upstream.calls = [];
      const response = await scripted.service.get(`${path}?${query}`);
      expectResponse(response, 'complete');
      expect(scripted.upstream.calls.map((call) => call.path)).toEqual([externalPath]);
      expect(String(response.headers.link ?? '</api')).toMatch(/^<\/api/i);
    }
  });

  it.each([
    ...['/', '//', '///', 'http://evil.example//'].map((path) => [path, 302, '/docs'] as const),
    ...['//evil.example', '//evil.example/..', '/\\evil.example', '//docs//evil.example'].map(
      (path) => [path, 404, undefined] as const,
    ),
  ])('D12 D25 %s is %i, Location %s', async (path, code, location) => {
    const { status, headers } = await send(path, 'GET');
    expect([status, headers.location]).toEqual([code, location]);
  });

  it('D9 D12 the case of an identifier is kept, percent-encoded or not', async () => {
    await scripted.service.get('/API/SHIPPING/GETSHIPPINGINFOBYID/%73Hp%2DaBc');
    expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/sHp-aBc');
  });

  it('D55 without CORS_ORIGINS no origin is allowed', async () => {
    const { headers } = await scripted.service.request('GetShippingDetails', { Origin: 'https://app.example' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });
});

describe('D55 pages of other origins', () => {
  const ORIGIN = 'https://app.example';
  const env = { CORS_ORIGINS: `${ORIGIN},http://localhost:8080`, FORWARD_HEADERS: 'X-Tenant-Id, Accept-Language' };
  const scripted = useScriptedService(env);
  const ALLOWED = [
    ...['Prefer', 'X-Request-Id', 'If-None-Match', 'Authorization', 'X-API-Key', 'traceparent', 'tracestate'],
    ...['baggage', 'sentry-trace', 'Content-Type', 'X-Requested-With', 'Cache-Control', 'Pragma'],
  ];
  const EXPOSED = [
    ...['Shipping-Completeness', 'Shipping-Ignored-Parameters', 'Date', 'ETag', 'Age', 'Link', 'Retry-After'],
    ...['Cache-Status', 'X-Request-Id', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'],
  ];
  const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET', 'X-Request-Id': 'REQ-1' };
  const options = (path: string, headers: Record<string, string>): Promise<HttpResponse> =>
    scripted.service.get(path, { method: 'OPTIONS', headers });

  it.each(OPERATIONS)('D12 D55 a preflight for $name', async ({ request }) => {
    const { status, body, headers } = await options(`/api/Shipping/${request}`, PREFLIGHT);
    expect([status, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      'x-request-id': 'REQ-1',
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': [...ALLOWED, 'X-Tenant-Id', 'Accept-Language'].join(', '),
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it.each([
    ['neither header', {}],
    ['an origin alone', { Origin: ORIGIN }],
    ['a method alone', { 'Access-Control-Request-Method': 'GET' }],
  ])('D12 OPTIONS with %s is no preflight', async (_, headers) => {
    const refused = await options(DETAILS_PATH, headers);
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    expectProblem(await options('/nowhere', headers), 404, 'route-not-found');
  });

  const STRANGERS = ['https://app.example.evil.example', 'http://app.example', 'null'];
  it.each(STRANGERS)('D55 %s may read no response', async (Origin) => {
    const responses = [
      await options(DETAILS_PATH, { ...PREFLIGHT, Origin }),
      await scripted.service.get(DETAILS_PATH, { headers: { Origin } }),
      await scripted.service.get(UNDECODABLE, { headers: { Origin } }),
    ];
    for (const { headers } of responses) {
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers.vary).toMatch(/\bOrigin\b/i);
    }
  });

  it.each([
    ['a result', 200, DETAILS_PATH],
    ['a plain message', 400, '/api/Shipping/GetShippingPagedList?PageNumber=0'],
    ['a problem', 400, `${DETAILS_PATH}?Limit=0`],
    ['no route', 404, '/nowhere'],
    ['a path that cannot be decoded', 400, UNDECODABLE],
  ])('D21 D55 %s (%i) may be read', async (_, code, path) => {
    const { status, headers } = await scripted.service.get(path, { headers: { Origin: 'http://localhost:8080' } });
    expect(status).toBe(code);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:8080',
      'access-control-expose-headers': EXPOSED.join(', '),
    });
    const vary = ['Prefer', 'accept-encoding', 'X-Tenant-Id', 'Accept-Language', 'Origin'];
    expect(headers.vary?.split(', ')).toEqual(expect.arrayContaining(vary));
  });
});
