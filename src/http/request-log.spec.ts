import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { watchClients } from './departure';
import { logRequest, observeRequests, type AnsweredRequest } from './request-log';

describe('observeRequests', () => {
  let server: FastifyInstance;
  let seen: AnsweredRequest[];
  beforeEach(() => {
    seen = [];
    server = fastify({ genReqId: () => 'REQ-1' });
    watchClients(server);
    observeRequests(server, (request) => seen.push(request));
    server.get('/things/:id', (_, reply) => reply.header('Shipping-Completeness', 'complete').send({}));
    server.get('/never', () => new Promise(() => undefined));
  });
  afterEach(() => server.close());

  it('tells of an answer by its route, and nothing that the caller sent', async () => {
    await server.inject('/things/hidden?a=hidden');
    expect(seen).toEqual([
      {
        method: 'GET',
        route: '/things/:id',
        status: 200,
        requestId: 'REQ-1',
        completeness: 'complete',
        durationMs: expect.any(Number),
      },
    ]);
  });

  it('tells of what has no route', async () => {
    await server.inject('/hidden');
    expect(seen).toMatchObject([{ route: 'unmatched', status: 404, completeness: undefined }]);
  });

  it('tells once of a client that left, with status 499', async () => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const aborted = new Promise<void>((resolve) => {
      server.server.once('request', (request) => request.once('close', resolve));
    });
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(server.server, 'request');
    socket.destroy();
    await aborted;
    expect(seen).toMatchObject([{ route: '/never', status: 499, requestId: 'REQ-1' }]);
    expect(seen[0]?.durationMs).toBeGreaterThan(0);
  });
});

describe('logRequest', () => {
  it('writes one line for a request', () => {
    const lines: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
    const request = { method: 'GET', route: '/a', status: 200, requestId: 'R', completeness: 'complete' };
    logRequest(logger, { ...request, durationMs: 1.23456 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: 30, ...request, durationMs: 1.235, msg: 'request' },
    ]);
  });
});
