import fastify, { type FastifyRequest } from 'fastify';
import type { RequestListener } from 'node:http';
import { continueTrace } from '../../observability/tracing/trace-context';
import { RequestRecord } from '../requests/request-record';
import { SharedBody } from '../responses/shared-body';
import { BoundedServer } from './bounded-server';
import { countUnsent, dropUnreadBodies } from './held-bodies';

it('D59 counts the body of a response with the objects that it was made from, and keeps no text of it', async () => {
  let request: FastifyRequest | undefined;
  const serverFactory = (listener: RequestListener): BoundedServer => new BoundedServer(listener, 100);
  const app = fastify({ serverFactory }).decorateRequest('record');
  app.addHook('onSend', (sending, _, payload, done) => {
    sending.record = new RequestRecord(continueTrace(undefined), sending.routeOptions);
    sending.record.objectBytes = 50;
    sending.record.ready = SharedBody.of('');
    done(null, payload);
  });
  countUnsent(app, { state: 'ready' });
  const server = app.server;
  const bytes: number[] = [];
  app.addHook('onSend', (sending, _, payload, done) => {
    request = sending;
    bytes.push(server.unsentBytes);
    done(null, payload);
  });
  app.get('/own', (_, reply) => reply.send(Buffer.alloc(100)));
  await fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/own`);
  expect([bytes, request?.record.ready]).toEqual([[150], undefined]);
  await app.close();
});

it('a route of a team may send the body of the request as its response, also behind a hook that waits', async () => {
  const app = fastify();
  dropUnreadBodies(app);
  app.addHook('onSend', async () => new Promise((resolve) => setImmediate(resolve)));
  app.addContentTypeParser('text/csv', (_, __, done) => {
    done(null);
  });
  app.post('/echo', (request, reply) => reply.send(request.raw));
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const headers = { 'Content-Type': 'text/csv' };
  const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', headers, body: 'a,b' });
  expect(await response.text()).toBe('a,b');
  await app.close();
});
