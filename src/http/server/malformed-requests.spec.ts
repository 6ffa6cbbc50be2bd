import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import { UNDECODABLE_TARGET } from '../paths';
import { sendProblem } from '../problems/problem.filter';
import { malformed, routableTarget } from './malformed-requests';

describe('routableTarget', () => {
  it.each([
    ['/a%20b?c=%zz', '/a%20b?c=%zz'],
    ['/a?%', '/a?%'],
    ['/%zz', UNDECODABLE_TARGET],
    ['/%C3?a=1', UNDECODABLE_TARGET],
    ['*', '/*'],
    ['/\xc3\xb6', UNDECODABLE_TARGET],
    ['/a?b=\xff', UNDECODABLE_TARGET],
    ['/a#b', UNDECODABLE_TARGET],
    ['/a?b#c', UNDECODABLE_TARGET],
  ])('D7 %j becomes %j: only the path decides', (url, target) => {
    expect(routableTarget({ url })).toBe(target);
  });
});

describe('malformed', () => {
  let server: FastifyInstance;
  const hooks: string[] = [];
  beforeAll(() => {
    server = bareServer();
    server.addHook('onRequest', (request, reply, done) => {
      hooks.push(request.id);
      const problem = malformed(request, reply);
      if (problem === undefined) done();
      else sendProblem(reply, request, problem);
    });
    server.get('/api/Shipping/GetShippingInfoById/:id', () => 'a body');
  });
  afterAll(() => server.close());

  it.each(['/%zz', '/api/Shipping/GetShippingInfoById/%C3', '/api/%FF?SearchTerm=hidden'])(
    'D15 D40 %s is 400, after the hooks of every request',
    async (url) => {
      hooks.length = 0;
      const response = await server.inject({ url, headers: { 'x-request-id': 'REQ-1' } });
      expect(response.statusCode).toBe(400);
      expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(response.json()).toMatchObject({
        code: 'invalid-parameters',
        requestId: 'REQ-1',
        instance: url.replace(/\?.*/, '').replace('%zz', '%25zz'),
        errors: [{ parameter: 'path', message: 'must be percent-encoded UTF-8' }],
      });
      expect(response.body).not.toContain('hidden');
      expect(hooks).toEqual(['REQ-1']);
    },
  );

  it('lets other targets pass', async () => {
    expect((await server.inject('/api/Shipping/GetShippingInfoById/%C3%B6?a=%zz')).statusCode).toBe(200);
  });
});
