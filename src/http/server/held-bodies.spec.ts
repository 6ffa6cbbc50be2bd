import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { get, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { continueTrace } from '../../observability/tracing/trace-context';
import { SharedBody } from '../bodies/shared-body';
import { RequestRecord } from '../requests/request-record';
import { BoundedServer } from './bounded-server';
import { countUnsent, dropUnreadBodies } from './held-bodies';

describe('countUnsent', () => {
  let server: BoundedServer;
  let app: FastifyInstance;
  let requests: FastifyRequest[];

  beforeEach(async () => {
    requests = [];
    const serverFactory = (listener: RequestListener): BoundedServer => (server = new BoundedServer(listener, 100));
    app = fastify({ serverFactory }).decorateRequest('record');
    app.addHook('onSend', (request, _, payload, done) => {
      request.record = new RequestRecord(continueTrace(undefined));
      request.record.objectBytes = Number((request.query as { objects?: string }).objects ?? 0);
      request.record.ready = SharedBody.of('');
      requests.push(request);
      done(null, payload);
    });
    countUnsent(app, { state: 'ready' });
    app.get('/own', (_, reply) => reply.send(Buffer.alloc(100)));
    await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  async function ask(path: string): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(get({ port, host: '127.0.0.1', path, agent: false }), 'response')) as [
      IncomingMessage,
    ];
    await once(response.resume(), 'end');
  }

  it.each([
    ['its body, which other responses may send, too', '/own', Buffer.alloc(100)],
    ['its body and the objects that it was made from', '/own?objects=50', 150],
  ])('D59 counts %s, and keeps no text of it', async (_, path, held) => {
    const count = jest.spyOn(server, 'count');
    await ask(path);
    expect(count.mock.calls.map((call) => call[1])).toEqual([held]);
    expect(requests.map(({ record }) => record.ready)).toEqual([undefined]);
  });

  it('D59 counts a response of the management port for that port', async () => {
    const { routing } = app as FastifyInstance & { routing: RequestListener };
    const [main, management] = [server, new BoundedServer(routing.bind(app))];
    const counts = [main, management].map((each) => jest.spyOn(each, 'count'));
    await once(management.listen(0, '127.0.0.1'), 'listening');
    server = management;
    await ask('/own');
    management.close();
    expect(counts.map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });
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
