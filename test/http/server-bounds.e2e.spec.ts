import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createAdapter } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { wireList, wireRecords } from '../../testing/upstream/records';
import { held, json } from '../../testing/upstream/responses';
import { RawConnection } from '../faults/support/raw-connection';
import { DETAILS, expectProblem, PATIENT } from '../support/operations';
import { useScriptedService } from '../support/service';

const MIB = 1_048_576;
/** More than the kernel keeps for a client that does not read; eight of them are the bound. */
const LARGE_BYTES = 16 * MIB;
const ADDRESS = 'x'.repeat(LARGE_BYTES / 64);
const LARGE = json(wireList(wireRecords(64).map((record) => ({ ...record, ShippingAddress: ADDRESS }))));
/** Shorter than the time that `PATIENT` gives a call. */
const BEFORE_TIMEOUT_MS = 25_000;
const request = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const details = (order: number): string => request(`/api/Shipping/GetShippingDetails?SearchTerm=ORD-${order}`);

/** Connects and does not read. */
async function unread(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Counts the descriptors of this process that are of a file. */
function openFiles(name: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith(`/${name}`);
    } catch {
      return false; // That of the directory is closed.
    }
  }).length;
}

describe('D59 responses that clients do not read', () => {
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: String(2 * LARGE_BYTES) });
  const unsent = (): Promise<number> => scripted.service.metric('http_server_unsent_bytes');
  /** How many requests ended before their responses were sent. */
  const cutOff = (): number => scripted.service.requestLog.filter(({ status }) => status === 499).length;

  it('D59 beyond 128 MiB the connection that holds most ends', async () => {
    const { service, upstream } = scripted;
    const { behaviour, release } = held(LARGE);
    upstream.respondWith(behaviour);
    const [some, most] = [await unread(service.url), await unread(service.url)];
    some.write(details(1));
    most.write(Array.from({ length: 9 }, (_, index) => details(index + 2)).join(''));
    await upstream.waitForCalls(10);
    release();
    await eventually(
      'connections that were closed for their unsent bytes',
      () => cutOff(),
      (value) => value >= 9,
    );
    await once(most.resume(), 'close');
    expect(await unsent()).toBeLessThan(2 * LARGE_BYTES);
    upstream.respondWith(json());
    expect((await service.request(DETAILS.request)).headers['shipping-completeness']).toBe('complete');
    some.destroy();
    await eventually('unsent bytes', unsent, 0);
    await eventually('connections that were closed for their unsent bytes', () => cutOff(), 10);
    await service.untilActive(0);
  });

  describe('D59 files', () => {
    // A large file of the package of the page that the page itself does not load.
    const FILE = 'swagger-ui-es-bundle.js';
    const REQUESTS = request(`/docs/${FILE}`).repeat(32);

    it('D59 that are unread count, and close with their client', async () => {
      const socket = await unread(scripted.service.url);
      socket.write(REQUESTS);
      await eventually('open files', () => openFiles(FILE), 32);
      expect(Math.floor((await unsent()) / 131_072)).toBe(32);
      socket.destroy();
      await eventually('open files', () => openFiles(FILE), 0);
      expect(await unsent()).toBe(0);
    });

    it('D59 are closed where their client left before', async () => {
      const { service } = scripted;
      const socket = await unread(service.url);
      const before = service.requestLog.length;
      socket.end(REQUESTS);
      await service.untilLogged(before + 32);
      // Opened after those of the client before it.
      expect((await service.get(`/docs/${FILE}`)).status).toBe(200);
      await eventually('open files', () => openFiles(FILE), 0);
    });

    it('D59 that are unread close connections beyond 128 MiB', async () => {
      const before = cutOff();
      const sockets = await Promise.all(Array.from({ length: 33 }, () => unread(scripted.service.url)));
      for (const socket of sockets) socket.write(REQUESTS);
      // With the memory of their pipelined requests, a second connection may have to be closed.
      await eventually('all connections of a kind are closed', () => [32, 64].includes(cutOff() - before));
      for (const socket of sockets) socket.destroy();
      await eventually('open files', () => openFiles(FILE), 0);
    });
  });

  it('D59 unread documents, held once for all, do not count', async () => {
    const socket = await unread(scripted.service.url);
    socket.write(request('/openapi.json').repeat(32));
    const logged = (): number => scripted.service.requestLog.filter(({ route }) => route === '/openapi.json').length;
    await eventually('lines of this kind', () => logged(), Boolean);
    expect(await unsent()).toBe(0);
    socket.destroy();
  });
});

describe('D59 requests that are refused before they are routed', () => {
  const scripted = useScriptedService(PATIENT);
  const unsent = (): Promise<number> => scripted.service.metric('http_server_unsent_bytes');
  /** More would make the service pause the connection, and it would not see that the client disconnects. */
  const REFUSED = 280;

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an unknown Expect', request('/', 'Expect: x\r\n')],
  ])('D59 count and wait behind a slow one: %s', async (_, refused) => {
    const { service, upstream } = scripted;
    upstream.respondWith(neverResponds());
    const sockets = await Promise.all(Array.from({ length: 5 }, () => unread(service.url)));
    for (const [index, socket] of sockets.entries()) socket.write(details(index) + refused.repeat(REFUSED));
    await eventually(
      'unsent bytes',
      () => unsent(),
      (value) => value > 5 * (REFUSED - 31) * 2048,
      BEFORE_TIMEOUT_MS,
    );
    expect(await service.metric('http_server_active_requests')).toBe(5 * 32 + 1);
    for (const socket of sockets) socket.destroy();
    await service.untilActive(0);
    expect(await unsent()).toBe(0);
  });
});

describe('D59 bodies that no route reads', () => {
  const requests: IncomingMessage[] = [];
  const scripted = useScriptedService(PATIENT);
  beforeAll(() => {
    scripted.service.app.getHttpServer().on('request', (request: IncomingMessage) => requests.push(request));
  });
  const FIELDS = 'Content-Type: application/json\r\nContent-Length: 12000\r\n';

  it.each([
    ['GET', '/api/Shipping/GetShippingDetails'],
    ['HEAD', '/api/Shipping/GetShippingDetails'],
    ['POST', '/api/Shipping/GetShippingDetails'],
    ['GET', '/docs'],
  ])('D59 are dropped: %s %s', async (method, path) => {
    const { service, upstream } = scripted;
    upstream.respondWith(neverResponds());
    requests.length = 0;
    const socket = await unread(service.url);
    socket.write(`${details(1)}${request(path, FIELDS).replace('GET', method)}${'x'.repeat(10_000)}`);
    await eventually(
      'the second request arrives in part',
      () => requests.length === 2 && Number(requests[1]?.socket.bytesRead) > 10_000,
    );
    expect(requests.map(({ readableLength }) => readableLength)).toEqual([0, 0]);
    socket.destroy();
    await service.untilActive(0);
  });

  it.each([
    ['application/json', '{'],
    ['text', 'x'.repeat(2 * MIB)],
  ])('D15 an unknown path with a body is 404: %s', async (type, body) => {
    const response = await scripted.service.get('/nowhere', {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });
    expectProblem(response, 404, 'route-not-found');
  });
});

describe('D34 requests in progress', () => {
  const scripted = useScriptedService({ ...PATIENT, MAX_ACTIVE_REQUESTS: '40' });

  it('D34 beyond MAX_ACTIVE_REQUESTS get 503; probes are served', async () => {
    const { service, upstream } = scripted;
    const { behaviour, release } = held();
    upstream.respondWith(behaviour);
    const first = Array.from({ length: 40 }, (_, index) => service.request(`GetShippingDetails?Limit=${index + 1}`));
    await service.untilActive(40);
    for (const path of [`/api/Shipping/${DETAILS.request}`, '/docs', '/nowhere']) {
      const refused = await service.get(path);
      expectProblem(refused, 503, 'overloaded');
      expect(refused.headers['retry-after']).toBe('1');
    }
    for (const path of ['/health/live', '/health/ready']) expect((await service.get(path)).status).toBe(200);
    expect(await service.metric('http_server_refused_requests_total{cause="active-requests"}')).toBe(3);
    release();
    expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('D34 of one connection 32 are in progress, others wait', async () => {
    const { service, upstream } = scripted;
    const { behaviour, release } = held();
    upstream.respondWith(behaviour);
    const connection = await RawConnection.to(service.url);
    for (let index = 0; index < 100; index += 1) {
      connection.send(request(`/api/Shipping/${DETAILS.request}`, `X-Request-Id: R-${index}\r\n`));
    }
    await service.untilActive(32);
    const other = service.request('GetShippingDetails?Limit=7');
    release();
    expect((await other).status).toBe(200);
    const responses = await connection.receives(100);
    expect(responses.map(({ status, headers }) => [status, headers['x-request-id']?.[0]])).toEqual(
      Array.from({ length: 100 }, (_, index) => [200, `R-${index}`]),
    );
    connection.leave();
  });

  it.each([4, 34, 250])('D78 a disconnect after %d requests cancels all calls', async (requests) => {
    const { service, upstream } = scripted;
    upstream.respondWith(neverResponds());
    const socket = await unread(service.url);
    socket.write(Array.from({ length: requests }, (_, index) => details(index)).join(''));
    const inProgress = Math.min(requests, 32);
    await upstream.waitForCalls(inProgress);
    socket.destroy();
    await eventually('calls in flight', () => upstream.inFlight(), 0, BEFORE_TIMEOUT_MS);
    await service.untilActive(0);
    expect(upstream.calls).toHaveLength(inProgress);
  });

  it.each([
    ['3', 256],
    ['100', 400],
  ])('D34 MAX_ACTIVE_REQUESTS=%s: %d connections', (MAX_ACTIVE_REQUESTS, connections) => {
    const { server } = createAdapter(readSettings({ MAX_ACTIVE_REQUESTS })).getInstance<FastifyInstance>();
    expect(server.maxConnections).toBe(connections);
  });
});
