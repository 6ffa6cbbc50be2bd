import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { RawQuery } from './parameters/raw-query';
import { closeConnectionsWhile, createFastifyAdapter } from './fastify-adapter';

const OPERATION = '/api/Shipping/GetSomething';

describe('createFastifyAdapter', () => {
  let server: FastifyInstance;
  const onUnroutable = jest.fn<undefined, [{ id: string }, { statusCode: number }]>();
  let draining = false;

  beforeAll(async () => {
    server = createFastifyAdapter({
      onUnroutable,
      allowedOrigins: [],
      stalledAfterMs: 1000,
    }).getInstance<FastifyInstance>();
    closeConnectionsWhile(server, () => draining);
    server.get(`${OPERATION}/:id`, (request) => ({ params: request.params }));
    server.get(OPERATION, (request) => (request.query as RawQuery).parameters);
    server.get('/docs', () => 'page');
    server.get('/health/live', () => ({ status: 'ok' }));
    await server.ready();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    onUnroutable.mockReset();
    draining = false;
  });

  const ask = (url: string, options: InjectOptions = {}): Promise<LightMyRequestResponse> =>
    server.inject({ url, method: 'GET', ...options });

  it.each([OPERATION, `${OPERATION}/`, OPERATION.toLowerCase(), `${OPERATION.toUpperCase()}/`, `${OPERATION}?a=1`])(
    'D12 %s is the route',
    async (url) => {
      expect((await ask(url)).statusCode).toBe(200);
    },
  );

  it('D12 HEAD works as GET', async () => {
    const { statusCode, headers, body } = await ask(OPERATION, { method: 'HEAD' });
    expect([statusCode, body, headers['content-length']]).toEqual([200, '', '2']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'])(
    'D12 %s on a known route is 405 with Allow',
    async (method) => {
      const options = { method: method as 'POST', headers: { 'content-type': 'text/odd' } };
      const answer = await ask(`${OPERATION}?x=%zz`, method === 'TRACE' ? { method: method as 'POST' } : options);
      expect(answer.statusCode).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD');
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(answer.json()).toMatchObject({ status: 405, code: 'method-not-allowed', instance: OPERATION });
    },
  );

  it('D1 keeps the query string as it came', async () => {
    expect((await ask(`${OPERATION}?a=1&A=%zz`)).json()).toEqual([
      { name: 'a', value: '1', malformed: false },
      { name: 'A', value: '', malformed: true },
    ]);
  });

  it('D9 takes identifiers of any length to where they are judged', async () => {
    const id = 'x'.repeat(10_000);
    expect((await ask(`${OPERATION}/${id}`)).json()).toEqual({ params: { id } });
  });

  it.each([OPERATION, '/health/live', '/docs'])('D22 D20 D21 %s has the common headers', async (url) => {
    expect((await ask(url, { headers: { 'x-request-id': 'REQ-1' } })).headers).toMatchObject({
      'x-request-id': 'REQ-1',
      vary: 'Prefer, accept-encoding',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('lets a browser run scripts of the page only, and never upgrades', async () => {
    const policyOf = async (url: string): Promise<string> =>
      String((await ask(url)).headers['content-security-policy']);
    expect(await policyOf(OPERATION)).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(await policyOf('/docs')).toContain("script-src 'self'");
    expect(await policyOf('/docs')).not.toContain('upgrade-insecure-requests');
  });

  it('D22 makes an id where the one of the caller is unfit', async () => {
    expect((await ask(OPERATION, { headers: { 'x-request-id': 'not fit' } })).headers['x-request-id']).toMatch(
      /^[a-z0-9-]{36}$/,
    );
  });

  it('D21 says Preference-Applied on strict operations alone', async () => {
    const applied = async (url: string, prefer: string): Promise<unknown> =>
      (await ask(url, { headers: { prefer } })).headers['preference-applied'];
    expect(await applied(OPERATION, 'handling=strict')).toBe('handling=strict');
    expect(await applied(OPERATION, 'handling=lenient')).toBeUndefined();
    expect(await applied('/health/live', 'handling=strict')).toBeUndefined();
  });

  it.each([
    ['no encoding', '/%zz', 400, 'invalid-parameters'],
    ['no UTF-8', `${OPERATION}/%C3`, 400, 'invalid-parameters'],
    ['a parameter beyond measure', `${OPERATION}/${'x'.repeat(16_385)}`, 414, 'uri-too-long'],
  ])('D15 a path with %s is a problem, and somebody hears of it', async (_, url, status, code) => {
    const answer = await ask(url, { headers: { 'x-request-id': 'REQ-1' } });
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toMatchObject({ status, code, requestId: 'REQ-1' });
    expect(answer.headers).toMatchObject({
      vary: 'Prefer, accept-encoding',
      'x-request-id': 'REQ-1',
      'cache-control': 'no-store',
    });
    expect(onUnroutable.mock.calls.map(([request, reply]) => [request.id, reply.statusCode])).toEqual([
      ['REQ-1', status],
    ]);
  });

  it('D9 an identifier that cannot be decoded is a bad one', async () => {
    expect((await ask('/API/shipping/GetShippingInfoById/%C3')).json()).toMatchObject({
      errors: [{ parameter: 'id', message: 'must be percent-encoded UTF-8' }],
    });
  });

  it('D27 closes connections with their answers while draining', async () => {
    expect((await ask(OPERATION)).headers.connection).toBe('keep-alive');
    draining = true;
    for (const url of [OPERATION, '/nowhere', `${OPERATION}?a=%zz`]) {
      expect((await ask(url)).headers.connection).toBe('close');
    }
  });
});
