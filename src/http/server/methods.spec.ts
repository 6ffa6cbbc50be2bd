import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { METHODS } from 'node:http';
import { bareServer } from '../../../test/support/http-server';
import { refuseOtherMethods } from './methods';

const PATH = '/api/Shipping/GetSomething';
const PREFLIGHT = { origin: 'https://app.example', 'access-control-request-method': 'GET' };

describe('refuseOtherMethods', () => {
  const servers: FastifyInstance[] = [];

  function serverWith(...cors: string[]): FastifyInstance {
    const server = bareServer();
    refuseOtherMethods(server, cors.length === 0 ? undefined : { origins: [], allowed: cors, exposed: [] });
    server.get(PATH, () => 'a body');
    servers.push(server);
    return server;
  }
  const send = (
    server: FastifyInstance,
    method: string,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> =>
    server.inject({
      method: method as 'POST',
      url: `${PATH}?x=%zz`,
      headers: { 'content-type': 'text/odd', ...headers },
    });

  afterAll(() => Promise.all(servers.map((server) => server.close())));

  // Node 20.19 does not support QUERY.
  const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE'];
  it.each(others.filter((method) => METHODS.includes(method)))(
    'D12 %s on a route is 405 with Allow',
    async (method) => {
      const server = serverWith();
      const { statusCode, headers, payload } = await (method === 'TRACE'
        ? server.inject({ method, url: PATH } as never)
        : send(server, method));
      expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD']);
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(JSON.parse(payload)).toMatchObject({ status: 405, code: 'method-not-allowed', instance: PATH });
    },
  );

  describe('a path with several methods', () => {
    const several = (...cors: string[]): FastifyInstance => {
      const server = serverWith(...cors);
      server.post(`${PATH.toLowerCase()}/`, () => 'posted');
      server.get('/things/:id', () => 'read');
      server.delete('/things/:key', () => 'deleted');
      server.post('/only-posted', () => 'posted');
      return server;
    };

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
      const { statusCode, headers } = await send(several('X-Own'), 'OPTIONS', PREFLIGHT);
      expect([statusCode, headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD, POST']);
    });

    it('D12 a path that has them all refuses none', async () => {
      const server = bareServer();
      refuseOtherMethods(server, undefined);
      server.all('/any', ({ method }) => method);
      servers.push(server);
      expect((await server.inject({ method: 'PUT', url: '/any' })).payload).toBe('PUT');
    });
  });

  it('D12 GET and HEAD are served', async () => {
    const server = serverWith();
    expect([(await send(server, 'GET')).statusCode, (await send(server, 'HEAD')).statusCode]).toEqual([200, 200]);
  });

  it('D12 responds to preflights where there is CORS, and to no other OPTIONS', async () => {
    const server = serverWith('X-Own');
    const preflight = await send(server, 'OPTIONS', PREFLIGHT);
    expect([preflight.statusCode, preflight.payload]).toEqual([204, '']);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': expect.stringMatching(/^Accept, .*, X-Own$/),
      'access-control-max-age': '600',
    });
    expect((await send(server, 'OPTIONS')).statusCode).toBe(405);
    expect((await send(server, 'OPTIONS', { origin: 'https://app.example' })).statusCode).toBe(405);
    expect((await send(server, 'POST', PREFLIGHT)).statusCode).toBe(405);
  });

  it('D12 refuses preflights without CORS', async () => {
    expect((await send(serverWith(), 'OPTIONS', PREFLIGHT)).statusCode).toBe(405);
  });
});
