import { METHODS } from 'node:http';
import { expectAnswer, expectBadInput, expectProblem, PATH_ID } from './support/expectations';
import type { HttpResponse } from './support/http-client';
import { BY_ID, DETAILS, type Operation, OPERATIONS, PAGED, SINGLE } from './support/operations';
import { useScriptedService } from './support/service';
import { empty, status } from './support/upstream/responses';

const OPERATION_ROUTES = OPERATIONS.map(({ request }) => `/api/Shipping/${request}`);
const SERVICE_ROUTES = ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json', '/openapi.yaml', '/'];
/** QUERY is not a method of older versions of Node. */
const OTHER_METHODS = ['POST', 'PUT', 'DELETE', 'TRACE', 'QUERY'].filter((method) => METHODS.includes(method));

/** The methods that a response allows. */
function allowed(answer: HttpResponse): string[] {
  return (answer.headers.allow ?? '').split(/\s*,\s*/).sort();
}

describe('routing', () => {
  const scripted = useScriptedService();

  describe('D12 the four routes', () => {
    const spellings: [string, Operation][] = [
      ['/api/Shipping/GetShippingSingle?Id=SHP-1', SINGLE],
      ['/API/SHIPPING/GETSHIPPINGSINGLE/?Id=SHP-1', SINGLE],
      ['/api/Shipping/GetShippingInfoById/SHP-1', BY_ID],
      ['/api/Shipping/GetShippingInfoById/SHP-1/', BY_ID],
      ['/API/SHIPPING/GETSHIPPINGINFOBYID/SHP-1/', BY_ID],
      ['/api/Shipping/GetShippingDetails', DETAILS],
      ['/aPi/sHIPPING/gEtShippingDetails', DETAILS],
      ['/api/Shipping/GetShippingPagedList', PAGED],
      ['/api/shipping/getshippingpagedlist/?PageNumber=1', PAGED],
    ];

    it.each(spellings)('D12 GET %s', async (path, operation) => {
      expectAnswer(operation, await scripted.service.get(path), 'complete');
      expect(scripted.upstream.calls[0]?.path).toBe(operation.externalPath);
    });

    it.each(spellings)('D12 HEAD %s is GET without the body', async (path, operation) => {
      const got = await scripted.service.get(path);
      const head = await scripted.service.get(path, { method: 'HEAD' });
      expect([head.status, head.body]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'shipping-completeness', 'etag', 'link', 'vary']) {
        expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
      }
      expect(scripted.upstream.calls.map((call) => [call.method, call.path])).toEqual(
        Array(2).fill(['GET', operation.externalPath]),
      );
    });

    it('D12 the case of an identifier is kept', async () => {
      await scripted.service.get('/API/SHIPPING/GETSHIPPINGINFOBYID/sHp-aBc');
      expect(scripted.upstream.calls[0]?.target).toBe('/shippings/by-id/sHp-aBc');
    });

    it.each([
      ['D4', 'GetShippingPagedList?PageNumber=0', 400],
      ['D9', 'GetShippingInfoById/-', 400],
      ['D10', 'GetShippingInfoById', 400],
      ['D10', 'GetShippingInfoById/', 400],
      ['D11', 'GetShippingSingle', 400],
      ['D12', 'Nowhere', 404],
    ])('%s HEAD %s fails as GET does, without the body', async (_, request, code) => {
      const got = await scripted.service.request(request);
      const head = await scripted.service.get(`/api/Shipping/${request}`, { method: 'HEAD' });
      expect([got.status, head.status, head.body]).toEqual([code, code, '']);
      expect(head.headers['content-type']).toBe(got.headers['content-type']);
    });

    it('D15 HEAD of no match is 404 without a body', async () => {
      scripted.upstream.respondWith(status(404));
      const head = await scripted.service.get('/api/Shipping/GetShippingInfoById/SHP-1', { method: 'HEAD' });
      expect([head.status, head.body]).toEqual([404, '']);
    });
  });

  describe('D12 other methods', () => {
    const routes = [
      ...OPERATION_ROUTES,
      '/api/shipping/getshippingdetails/',
      '/api/Shipping/GetShippingSingle',
      '/api/Shipping/GetShippingPagedList?PageNumber=0',
      '/api/Shipping/GetShippingInfoById/-bad-',
      '/api/Shipping/GetShippingInfoById',
      '/api/Shipping/GetShippingInfoById/',
      ...SERVICE_ROUTES,
    ];
    it.each(routes)('D12 %s: methods other than GET and HEAD are 405 with Allow', async (path) => {
      for (const method of OTHER_METHODS) {
        const answer = await scripted.service.get(path, { method });
        expectProblem(answer, 405);
        expect(allowed(answer)).toEqual(expect.arrayContaining(['GET', 'HEAD']));
        expect(allowed(answer)).not.toContain(method);
      }
      expect(scripted.upstream.calls).toEqual([]);
    });

    it.each([
      ['broken JSON', 'application/json', '{"a":'],
      ['a type that nobody knows', 'application/x-nothing', 'x'],
      ['two megabytes', 'application/json', JSON.stringify('x'.repeat(2_000_000))],
    ])('D12 POST with %s is 405 too', async (_, type, body) => {
      const answer = await scripted.service.get('/api/Shipping/GetShippingDetails', {
        method: 'POST',
        headers: { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)) },
        body,
      });
      expectProblem(answer, 405);
    });

    it.each([...OPERATION_ROUTES, '/health/live'])('D12 OPTIONS %s is 405 without CORS_ORIGINS', async (path) => {
      const plain = await scripted.service.get(path, { method: 'OPTIONS' });
      expectProblem(plain, 405);
      expect(allowed(plain)).toEqual(['GET', 'HEAD']);
      const preflight = await scripted.service.get(path, {
        method: 'OPTIONS',
        headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
      });
      expectProblem(preflight, 405);
      expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    });

    it('D26 without CORS_ORIGINS no origin is allowed', async () => {
      const answer = await scripted.service.request('GetShippingDetails', { Origin: 'https://app.example' });
      expectAnswer(DETAILS, answer, 'complete');
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    });
  });

  describe('D15 no such route', () => {
    it.each(
      [
        '/nowhere',
        '/api/Shipping',
        '/api/Shipping/GetShippingNothing',
        '/api/Shipping/GetShippingDetails/x',
        '/api/Shipping/GetShippingInfoById/SHP-1/items',
        '/api/Shipping/GetShippingInfoById/a/../b',
        '/GetShippingDetails',
        '/api//Shipping/GetShippingDetails',
        '/health/nothing',
        `/${'x'.repeat(4000)}`,
      ].map((path) => [path.slice(0, 60), path]),
    )('D15 %s is 404', async (_, path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await scripted.service.get(path, { method });
        expectProblem(answer, 404);
        expect(answer.json().code).not.toBe('shipping-not-found');
      }
      expect(scripted.upstream.calls).toEqual([]);
    });

    it.each(['/%zz', '/%ff', '/api/Shipping/%', '/api/%C3%28/GetShippingDetails'])(
      'D15 GET %s, of invalid encoding, is a client error',
      async (path) => {
        const answer = await scripted.service.get(path);
        expect([400, 404]).toContain(answer.status);
        expectProblem(answer, answer.status);
      },
    );
  });

  describe('D10', () => {
    it.each(['', '/'])('GetShippingInfoById%s is 400, not 404', async (rest) => {
      expectBadInput(await scripted.service.request(`GetShippingInfoById${rest}`), PATH_ID);
    });
  });

  describe('D22 request ids', () => {
    const accepted = ['0', 'A.b_c-9', 'x'.repeat(64)];
    const refused = ['', 'a b', 'x'.repeat(65), 'a"b', 'a%0Ab', '\u00e9'];
    const requests = [
      ['a sound request', 200, '/api/Shipping/GetShippingDetails', 'GET'],
      ['a plain message', 400, '/api/Shipping/GetShippingPagedList?PageNumber=0', 'GET'],
      ['a bad parameter', 400, '/api/Shipping/GetShippingDetails?Limit=0', 'GET'],
      ['a malformed query', 400, '/api/Shipping/GetShippingDetails?x=%zz', 'GET'],
      ['a malformed path', 400, '/api/Shipping/GetShippingInfoById/%zz', 'GET'],
      ['no identifier', 400, '/api/Shipping/GetShippingInfoById', 'GET'],
      ['no such route', 404, '/nowhere', 'GET'],
      ['another method', 405, '/api/Shipping/GetShippingDetails', 'DELETE'],
      ['liveness', 200, '/health/live', 'GET'],
      ['readiness', 200, '/health/ready', 'GET'],
      ['metrics', 200, '/metrics', 'GET'],
      ['the documentation', 200, '/docs', 'GET'],
      ['the description', 200, '/openapi.json', 'GET'],
      ['the redirect', 302, '/', 'GET'],
    ] as const;

    it.each(requests)('D22 is returned on %s (%i)', async (_, code, path, method) => {
      const given = await scripted.service.get(path, {
        method,
        headers: { 'X-Request-Id': 'Given.1' },
      });
      if (code !== 302) expect(given.status).toBe(code);
      expect(given.headers['x-request-id']).toBe('Given.1');
      const made = await scripted.service.get(path, { method });
      expect(made.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      if (made.headers['content-type']?.startsWith('application/problem+json')) {
        expect([given.json().requestId, made.json().requestId]).toEqual(['Given.1', made.headers['x-request-id']]);
      }
    });

    it.each([
      ['no match', 404, status(404)],
      ['a failure', 500, status(500)],
      ['an empty reply', 500, empty(200)],
    ])('D22 is returned on %s of the external system (%i)', async (_, code, behaviour) => {
      scripted.upstream.respondWith(behaviour);
      const answer = await scripted.service.request('GetShippingInfoById/SHP-1', { 'X-Request-Id': 'Given.2' });
      expectProblem(answer, code);
      expect(answer.json().requestId).toBe('Given.2');
      expect(scripted.upstream.calls[0]?.headers['x-request-id']).toBe('Given.2');
    });

    it.each(accepted)('D22 %s is taken, returned and sent on', async (id) => {
      const answer = await scripted.service.request('GetShippingDetails', { 'X-Request-Id': id });
      expect([answer.headers['x-request-id'], scripted.upstream.calls[0]?.headers['x-request-id']]).toEqual([id, id]);
    });

    it.each(refused)('D22 %j is replaced, and the new one sent on', async (id) => {
      const answer = await scripted.service.request('GetShippingDetails', { 'X-Request-Id': id });
      expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
      expect(answer.headers['x-request-id']).not.toBe(id);
      expect(scripted.upstream.calls[0]?.headers['x-request-id']).toBe(answer.headers['x-request-id']);
    });

    it('D22 no two requests are given the same', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => scripted.service.get('/health/live')));
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(10);
    });
  });

  describe('D22 traceparent', () => {
    const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
    const PARENT = '00f067aa0ba902b7';
    const WELL_FORMED = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

    const sentFor = async (headers: Record<string, string>): Promise<string> => {
      expectAnswer(DETAILS, await scripted.service.request('GetShippingDetails', headers), 'complete');
      expect(scripted.upstream.calls[0]?.headers.traceparent).toMatch(WELL_FORMED);
      return scripted.upstream.calls[0]?.headers.traceparent ?? '';
    };

    it.each([
      ['sampled', `00-${TRACE}-${PARENT}-01`, '01'],
      ['not sampled', `00-${TRACE}-${PARENT}-00`, '00'],
    ])('D22 a valid one, %s, is continued', async (_, traceparent, flags) => {
      const [, trace, parent, sentFlags] = (await sentFor({ traceparent })).split('-');
      expect([trace, sentFlags]).toEqual([TRACE, flags]);
      expect(parent).not.toBe(PARENT);
    });

    it('D22 one of a later version is continued', async () => {
      expect(await sentFor({ traceparent: `cc-${TRACE}-${PARENT}-01-more` })).toContain(TRACE);
    });

    it.each([
      ['none at all', undefined],
      ['version ff', `ff-${TRACE}-${PARENT}-01`],
      ['trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
      ['parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
      ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
      ['a short trace', `00-${TRACE.slice(1)}-${PARENT}-01`],
      ['more than version 00 has', `00-${TRACE}-${PARENT}-01-more`],
      ['two in one', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ])('D22 an invalid one (%s) starts a new trace', async (_, traceparent) => {
      const sent = await sentFor(traceparent === undefined ? {} : { traceparent });
      expect(sent).not.toContain(TRACE);
    });

    it('D22 traces of two requests are two', async () => {
      await scripted.service.request('GetShippingDetails?Limit=1');
      await scripted.service.request('GetShippingDetails?Limit=2');
      const [first, second] = scripted.upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[1]);
      expect(first).not.toBe(second);
    });
  });

  describe('D25 operation', () => {
    const TYPES: [string, RegExp, RegExp][] = [
      ['/health/live', /^application\/json/, /"status"/],
      ['/health/ready', /^application\/json/, /"status"/],
      ['/metrics', /^text\/plain|^application\/openmetrics-text/, /^# HELP /m],
      ['/docs', /^text\/html/, /swagger/i],
      ['/openapi.json', /^application\/json/, /"openapi":\s*"3/],
      ['/openapi.yaml', /yaml/, /^openapi: ['"]?3/m],
    ];

    it.each(TYPES)('D25 GET %s', async (path, type, content) => {
      const answer = await scripted.service.get(path);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringMatching(type)]);
      expect(answer.body).toMatch(content);
      expect(scripted.upstream.calls).toEqual([]);
    });

    it.each(TYPES)('D12 HEAD %s', async (path) => {
      const head = await scripted.service.get(path, { method: 'HEAD' });
      expect([head.status, head.body]).toEqual([200, '']);
    });

    it.each(['/Health/Live', '/health/live/', '/HEALTH/READY/', '/Metrics', '/OpenApi.json', '/DOCS'])(
      'D12 GET %s matches too',
      async (path) => {
        expect((await scripted.service.get(path)).status).toBe(200);
      },
    );

    it('D25 / redirects to /docs', async () => {
      const answer = await scripted.service.get('/');
      expect([301, 302, 303, 307, 308]).toContain(answer.status);
      expect(new URL(answer.headers.location ?? '', scripted.service.url).pathname).toBe('/docs');
    });

    it('D25 the documentation loads nothing from elsewhere and every part of it loads', async () => {
      const { body } = await scripted.service.get('/docs');
      const parts = [...body.matchAll(/(?:src|href)=["']([^"']+)["']/g)].map(([, part]) => part ?? '');
      expect(parts).toContainEqual(expect.stringMatching(/^\/docs\/files\/[0-9a-f]{16}\/favicon\.svg$/));
      for (const part of parts) {
        const url = new URL(part, `${scripted.service.url}/docs`);
        expect(url.origin).toBe(scripted.service.url);
        expect([part, (await scripted.service.get(url.pathname)).status]).toEqual([part, 200]);
      }
    });

    it('D1 and the specification: the description names every parameter', async () => {
      const { paths } = (await scripted.service.get('/openapi.json')).json() as {
        paths: Record<string, { get: { parameters?: { name: string; in: string }[] } } | undefined>;
      };
      const queryOf = (path: string): string[] =>
        (paths[path]?.get.parameters ?? [])
          .filter((item) => item.in === 'query')
          .map(({ name }) => name)
          .sort();
      const filters = ['FromDate', 'OrderId', 'Status', 'ToDate'];
      expect({
        single: queryOf('/api/Shipping/GetShippingSingle'),
        byId: queryOf('/api/Shipping/GetShippingInfoById/{id}'),
        details: queryOf('/api/Shipping/GetShippingDetails'),
        paged: queryOf('/api/Shipping/GetShippingPagedList'),
      }).toEqual({
        single: ['Id', 'TrackingNumber', ...filters].sort(),
        byId: [],
        details: ['Limit', 'SearchTerm', ...filters].sort(),
        paged: ['PageNumber', 'PageSize', 'SearchTerm', 'SortBy', 'SortDirection', ...filters].sort(),
      });
    });

    it('D25 readiness does not depend on the external system', async () => {
      scripted.upstream.respondWith(status(500));
      await scripted.service.request('GetShippingDetails');
      expect((await scripted.service.get('/health/ready')).status).toBe(200);
    });
  });
});

describe('routing with CORS_ORIGINS', () => {
  const ORIGINS = ['https://app.example', 'http://localhost:8080'];
  const scripted = useScriptedService({ CORS_ORIGINS: ORIGINS.join(',') });

  const preflight = (path: string, origin: string): Promise<HttpResponse> =>
    scripted.service.get(path, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'prefer,x-request-id',
      },
    });

  it.each(OPERATION_ROUTES.flatMap((path) => ORIGINS.map((origin) => [path, origin])))(
    'D12 a preflight for %s from %s is accepted',
    async (path, origin) => {
      const answer = await preflight(path, origin);
      expect([200, 204]).toContain(answer.status);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-methods']).toMatch(/\bGET\b/);
      expect(answer.headers['access-control-allow-headers']).toMatch(/\bprefer\b/i);
      expect(answer.headers.vary).toMatch(/\bOrigin\b/i);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('D40 a preflight for a path that cannot be decoded is 400', async () => {
    const answer = await preflight('/api/Shipping/GetShippingInfoById/%E0%A4%A', 'https://app.example');
    expectProblem(answer, 400, 'invalid-parameters');
  });

  const FOREIGN_ORIGINS = ['https://app.example.evil.example', 'http://app.example', 'null'];

  it.each(FOREIGN_ORIGINS)('D26 a preflight from %s is not allowed', async (origin) => {
    const { headers } = await preflight('/api/Shipping/GetShippingDetails', origin);
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(FOREIGN_ORIGINS)('D26 a response to %s may not be read by it', async (origin) => {
    for (const [request, code] of [
      ['GetShippingDetails', 200],
      ['GetShippingInfoById/%E0%A4%A', 400],
    ] as const) {
      const answer = await scripted.service.request(request, { Origin: origin });
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([code, undefined]);
      expect(answer.headers.vary).toMatch(/\bOrigin\b/i);
    }
  });

  it.each([
    ['an answer', 200, 'GetShippingDetails'],
    ['a plain message', 400, 'GetShippingPagedList?PageNumber=0'],
    ['a problem', 400, 'GetShippingDetails?Limit=0'],
    ['a malformed query', 400, 'GetShippingDetails?x=%zz'],
    ['no route', 404, 'Nowhere'],
    ['a path that cannot be decoded', 400, 'GetShippingInfoById/%E0%A4%A'],
  ])('D26 %s (%i) may be read by an allowed origin, and varies by both headers', async (_, code, request) => {
    const answer = await scripted.service.request(request, { Origin: 'https://app.example' });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([code, 'https://app.example']);
    expect(answer.headers.vary).toMatch(/\bPrefer\b/);
    expect(answer.headers.vary).toMatch(/\bOrigin\b/i);
  });

  it.each(['POST', 'DELETE'])('D12 %s is still 405', async (method) => {
    expectProblem(await scripted.service.get('/api/Shipping/GetShippingDetails', { method }), 405);
  });
});
