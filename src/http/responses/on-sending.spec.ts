import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { RequestListener } from 'node:http';
import { Registry } from 'prom-client';
import { continueTrace } from '../../observability/tracing/tracing';
import { dropUnreadBodies } from '../requests/on-arrival';
import { RequestMetrics } from '../requests/request-log';
import { RequestRecord } from '../requests/request-record';
import { BoundedServer } from '../server/bounded-server';
import { ReadyBody, SharedBody } from '../shared-body';
import { completeResponses } from './on-sending';

describe('completeResponses', () => {
  let app: FastifyInstance;
  let server: BoundedServer;

  beforeEach(() => {
    const serverFactory = (listener: RequestListener): BoundedServer => new BoundedServer(listener, 100);
    const bounded = fastify({ serverFactory }).decorateRequest('record');
    server = bounded.server;
    app = bounded;
    dropUnreadBodies(app);
    completeResponses(app, {
      begin: (request) => (request.record = new RequestRecord(continueTrace(undefined), request.routeOptions)),
      writeResult: () => undefined,
      metrics: new RequestMetrics(new Registry()),
      lifecycle: { state: 'ready' },
    });
  });
  afterEach(() => app.close());

  it('D59 counts the body of a response with the objects that it was made from, and keeps no text of it', async () => {
    let request: FastifyRequest | undefined;
    const bytes: number[] = [];
    app.addHook('onSend', (sending, _, payload, done) => {
      request = sending;
      bytes.push(server.unsentBytes);
      done(null, payload);
    });
    app.get('/own', (_, reply) => reply.send('x'.repeat(70_000)));
    await fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/own`, {
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect([bytes, request?.record.ready]).toEqual([[4 * 70_000], undefined]);
  });

  it('D59 keeps no text of a ready body while its response is unread', async () => {
    const body = new ReadyBody(SharedBody.of('"ready"'));
    app.addHook('onRequest', (request, _, done) => {
      request.record = new RequestRecord(continueTrace(undefined), request.routeOptions);
      done();
    });
    app.get('/ready', (_, reply) => reply.send(body));
    const { payload } = await app.inject('/ready');
    expect([payload, body.content]).toEqual(['"ready"', undefined]);
  });

  it('a route of a team may send the body of the request as its response, also behind a hook that waits', async () => {
    app.addHook('onSend', async () => new Promise((resolve) => setImmediate(resolve)));
    app.addContentTypeParser('text/csv', (_, __, done) => {
      done(null);
    });
    app.post('/echo', (request, reply) => reply.send(request.raw));
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    const headers = { 'Content-Type': 'text/csv' };
    const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', headers, body: 'a,b' });
    expect(await response.text()).toBe('a,b');
  });
});
