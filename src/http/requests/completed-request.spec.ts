import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { bareServer } from '../../../test/support/http-server';
import { observeRequests, type CompletedRequest } from './completed-request';
import { disconnectOf } from './disconnects';

describe('observeRequests', () => {
  let server: FastifyInstance;
  let seen: CompletedRequest[];
  let active: () => number;
  beforeEach(() => {
    seen = [];
    server = bareServer();
    active = observeRequests(server, (request) => seen.push(request));
    server.get(
      '/waiting',
      (request) =>
        new Promise((resolve) => {
          disconnectOf(request).once('abort', () => {
            resolve('aborted');
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
});
