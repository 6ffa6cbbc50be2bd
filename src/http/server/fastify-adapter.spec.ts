import type { FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import { bareServer } from '../../../test/support/http-server';
import { createFastifyAdapter } from './fastify-adapter';
import { rawQueryOf } from '../parameters/query-string';

const OPERATION = '/api/Shipping/GetSomething';

describe('createFastifyAdapter', () => {
  let server: FastifyInstance;

  beforeAll(async () => {
    server = bareServer();
    server.get(`${OPERATION}/:id`, (request) => ({ params: request.params }));
    server.get(OPERATION, (request) => rawQueryOf(request.query)?.parameters);
    server.get('/id', (request) => request.id);
    await server.ready();
  });
  afterAll(() => server.close());

  it.each([OPERATION, `${OPERATION}/`, OPERATION.toLowerCase(), `${OPERATION.toUpperCase()}/`, `${OPERATION}?a=1`])(
    'D12 %s is the route',
    async (url) => {
      expect((await server.inject(url)).statusCode).toBe(200);
    },
  );

  it.each([
    [3, 256],
    [100, 400],
  ])('D34 with %d requests in progress at most, %d connections are accepted', (maxActiveRequests, connections) => {
    const adapter = createFastifyAdapter({ maxActiveRequests });
    expect(adapter.getHttpServer<Server>().maxConnections).toBe(connections);
  });

  it('D44 a connection that takes no byte of a response for 30 s is closed', () => {
    expect(createFastifyAdapter().getHttpServer<Server>()).toMatchObject({ timeout: 30_000, keepAliveTimeout: 72_000 });
  });

  it('D12 HEAD works as GET', async () => {
    const { statusCode, headers, body } = await server.inject({ url: OPERATION, method: 'HEAD' });
    expect([statusCode, body, headers['content-length']]).toEqual([200, '', '2']);
  });

  it('D1 keeps the query string unparsed', async () => {
    expect((await server.inject(`${OPERATION}?a=1&A=%zz`)).json()).toEqual([
      { name: 'a', value: '1', malformed: false },
      { name: 'A', value: '', malformed: true },
    ]);
  });

  it('D9 routes identifiers of any length to their validation', async () => {
    const id = 'x'.repeat(10_000);
    expect((await server.inject(`${OPERATION}/${id}`)).json()).toEqual({ params: { id } });
  });

  it.each([
    ['REQ-1', /^REQ-1$/],
    ['not fit', /^[a-z0-9-]{36}$/],
  ])('D22 the request id of %j is a valid one', async (id, expected) => {
    expect((await server.inject({ url: '/id', headers: { 'x-request-id': id } })).body).toMatch(expected);
  });
});
