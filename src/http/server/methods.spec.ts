import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import type { CorsRules } from '../responses/cors';
import { refuseOtherMethods } from './methods';

const PATH = '/api/Shipping/GetSomething';

describe('refuseOtherMethods on a path with several methods', () => {
  const servers: FastifyInstance[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  function several(cors?: CorsRules): FastifyInstance {
    const server = bareServer();
    refuseOtherMethods(server, cors);
    server.get(PATH, () => 'a body');
    server.post(`${PATH.toLowerCase()}/`, () => 'posted');
    server.get('/things/:id', () => 'read');
    server.delete('/things/:key', () => 'deleted');
    server.post('/only-posted', () => 'posted');
    servers.push(server);
    return server;
  }

  it.each([
    ['POST', PATH, 'posted'],
    ['GET', '/things/1', 'read'],
    ['DELETE', '/things/1', 'deleted'],
    ['POST', '/only-posted', 'posted'],
  ])('D12 %s %s is served', async (method, url, expected) => {
    const { statusCode, payload } = await several().inject({ method: method as 'POST', url });
    expect([statusCode, payload]).toEqual([200, expected]);
  });

  it.each([
    ['PUT', PATH, 'GET, HEAD, POST'],
    ['POST', '/things/1', 'DELETE, GET, HEAD'],
    ['GET', '/only-posted', 'POST'],
    ['HEAD', '/only-posted', 'POST'],
  ])('D12 %s %s is 405, and Allow is %s', async (method, url, allow) => {
    const { statusCode, headers } = await several().inject({ method: method as 'POST', url });
    expect([statusCode, headers.allow]).toEqual([405, allow]);
  });

  it('D12 preflights name its methods', async () => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    const server = several({ origins: [], allowed: ['X-Own'], exposed: [] });
    const preflight = await server.inject({ method: 'OPTIONS', url: PATH, headers });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': expect.stringMatching(/^Accept, .*, X-Own$/),
      'access-control-max-age': '600',
    });
  });

  it('D12 a path that has them all refuses none', async () => {
    const server = bareServer();
    refuseOtherMethods(server, undefined);
    server.all('/any', ({ method }) => method);
    servers.push(server);
    expect((await server.inject({ method: 'PUT', url: '/any' })).payload).toBe('PUT');
  });
});
