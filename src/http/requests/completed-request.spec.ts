import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import { observeRequests, type CompletedRequest } from './completed-request';
import { disconnectOf } from './disconnects';
import { PROBLEMS } from '../problems/problem-definitions';
import { sendProblem } from '../problems/problem.filter';

describe('observeRequests', () => {
  let server: FastifyInstance;
  let seen: CompletedRequest[];
  let active: () => number;
  beforeEach(() => {
    seen = [];
    server = bareServer();
    active = observeRequests(server, (request) => seen.push(request));
    server.get('/things/:id', (request, reply) => {
      request.completeness = 'complete';
      return reply.send({});
    });
    server.get('/busy', (request, reply) => {
      sendProblem(reply, request, PROBLEMS.overloaded);
    });
    server.get(
      '/waiting',
      (request) =>
        new Promise((resolve) => {
          disconnectOf(request).addEventListener('abort', {
            handleEvent: () => {
              resolve('aborted');
            },
          });
        }),
    );
    server.get('/never', () => new Promise(() => undefined));
    server.get('/late', async (request) => {
      await once(request.raw, 'close');
      return 'late';
    });
  });
  afterEach(() => server.close());

  it('describes a response by its route, without values of the client', async () => {
    await server.inject({ url: '/things/hidden?a=hidden', headers: { 'x-request-id': 'REQ-1' } });
    expect(seen).toEqual([
      {
        method: 'GET',
        route: '/things/:id',
        status: 200,
        requestId: 'REQ-1',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        completeness: 'complete',
        problem: undefined,
        durationMs: expect.any(Number),
      },
    ]);
  });

  it.each([
    ['/hidden', 404],
    ['/hid%den', 404],
  ])('describes %s, which has no route', async (url, status) => {
    await server.inject(url);
    expect(seen).toMatchObject([{ route: 'unmatched', status, completeness: undefined }]);
  });

  it('describes the problem of a response', async () => {
    await server.inject('/busy');
    expect(seen).toMatchObject([{ route: '/busy', status: 503, problem: { code: 'overloaded' } }]);
  });

  it.each(['/never', '/late', '/waiting'])(
    'describes a client that disconnected from %s once, with the status 499',
    async (path) => {
      await server.listen({ port: 0, host: '127.0.0.1' });
      const aborted = new Promise<void>((resolve) => {
        server.server.once('request', (request) => request.once('close', resolve));
      });
      const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: REQ-1\r\n\r\n`);
      await once(server.server, 'request');
      expect(active()).toBe(1);
      socket.destroy();
      await aborted;
      // Late responses have been sent by then.
      await server.close();
      expect(seen).toMatchObject([{ route: path, status: 499, requestId: 'REQ-1' }]);
      expect(seen[0]?.durationMs).toBeGreaterThan(0);
      expect(active()).toBe(0);
    },
  );

  it('counts active requests', async () => {
    await Promise.all([server.inject('/things/1'), server.inject('/things/2'), server.inject('/none')]);
    expect(active()).toBe(0);
  });
});
