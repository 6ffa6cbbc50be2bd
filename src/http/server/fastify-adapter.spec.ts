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
});
