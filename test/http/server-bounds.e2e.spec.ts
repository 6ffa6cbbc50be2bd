import type { FastifyInstance } from 'fastify';
import { readdirSync, readlinkSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createAdapter } from '../../src/app.setup';
import { readSettings } from '../../src/config/settings';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { eventually } from '../../testing/upstream/eventually';
import { held } from '../../testing/upstream/responses';
import { unreadConnection } from '../faults/support/raw-connection';
import { expectProblem } from '../support/expected';
import { DETAILS } from '../support/operations';
import { PATIENT, useScriptedService } from '../support/service';

const request = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

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
  const scripted = useScriptedService();
  const unsent = (): Promise<number> => scripted.service.metric('http_server_unsent_bytes');
  // A large file of the package of the page that the page itself does not load.
  const FILE = 'swagger-ui-es-bundle.js';

  it('D59 unread files count, and close with their client', async () => {
    const sockets = await Promise.all([1, 2].map(() => unreadConnection(scripted.service.url)));
    for (const socket of sockets) socket.write(request(`/docs/${FILE}`));
    await eventually('open files', () => openFiles(FILE), 2);
    expect(Math.floor((await unsent()) / 131_072)).toBe(2);
    for (const socket of sockets) socket.destroy();
    await eventually('open files', () => openFiles(FILE), 0);
    expect(await unsent()).toBe(0);
  });

  it('D59 files are closed where their client left before', async () => {
    const { service } = scripted;
    const socket = await unreadConnection(service.url);
    const before = service.requestLog.length;
    socket.end(request(`/docs/${FILE}`));
    await service.untilLogged(before + 1);
    // Opened after those of the client before it.
    expect((await service.get(`/docs/${FILE}`)).status).toBe(200);
    await eventually('open files', () => openFiles(FILE), 0);
  });

  it('D59 unread texts that are held once for all do not count', async () => {
    const path = '/docs/swagger-ui-bundle.js';
    const socket = await unreadConnection(scripted.service.url);
    socket.write(request(path).repeat(32));
    await eventually('a response is sent', () => scripted.service.requestLog.some(({ route }) => route === path));
    // The text has more than a megabyte; what counts are the requests that wait behind the one of an unread response.
    const bytes = await unsent();
    expect([bytes > 0, bytes < 32 * 4096]).toEqual([true, true]);
    socket.destroy();
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
    const socket = await unreadConnection(service.url);
    socket.write(`${request(path, FIELDS).replace('GET', method)}${'x'.repeat(10_000)}`);
    await eventually('the request arrives in part', () => Number(requests[0]?.socket.bytesRead) > 10_000);
    expect(requests.map(({ readableLength }) => readableLength)).toEqual([0]);
    socket.destroy();
    await service.untilActive(0);
  });

  it.each([
    ['application/json', '{'],
    ['text', 'x'.repeat(2_097_152)],
  ])('D15 an unknown path with a body is 404: %s', async (type, body) => {
    const headers = { 'Content-Type': type };
    const response = await scripted.service.get('/nowhere', { method: 'POST', headers, body });
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

  it('D34 decide the number of connections', () => {
    const settings = readSettings({ MAX_ACTIVE_REQUESTS: '100' });
    expect(createAdapter(settings).getInstance<FastifyInstance>().server.maxConnections).toBe(400);
  });
});
