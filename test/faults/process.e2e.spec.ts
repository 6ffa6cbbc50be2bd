import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../../testing/upstream/eventually';
import { wireList, wireRecords } from '../../testing/upstream/records';
import { held, json } from '../../testing/upstream/responses';
import { type HttpResponse, metricOf, send } from '../support/http-client';
import { PATIENT } from '../support/service';
import { RawConnection, unreadConnection } from './support/raw-connection';
import { CLEAN_EXIT, HELD_TIMERS, type ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

/** How long clients may hold on to a draining process. */
const HARD_STOP_MS = 20_000;

/** The messages at `fatal` of a process, each line of which is JSON. */
const fatalOf = ({ log }: ServiceProcess): unknown[] => log.filter(({ level }) => level === 60).map(({ msg }) => msg);

const processes = useServiceProcesses();

const ask = (service: ServiceProcess, id: string, agent?: Agent): Promise<HttpResponse> =>
  service.request(`/api/Shipping/GetShippingDetails?OrderId=${id}`, { agent });
/** Holds the responses of the external system, and the requests of `count` clients with them. */
async function inFlight(service: ServiceProcess, count: number, agent?: Agent) {
  const { behaviour, release } = held();
  processes.upstream.respondWith(behaviour);
  const sent = Array.from({ length: count }, (_, index) => ask(service, `HELD-${index}`, agent));
  await processes.upstream.waitForCalls(count);
  return { release, responses: () => Promise.all(sent) };
}

it.each(['SIGTERM', 'SIGHUP'] as const)('D27 %s: a hundred requests are completed, then exit 0', async (signal) => {
  const service = await processes.start({ ...PATIENT, EXTERNAL_SHIPPING_MAX_CONCURRENT: '160' });
  const idle = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(service.url)));
  for (const connection of idle) connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
  await Promise.all(idle.map((connection) => connection.receives(1)));
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const { release, responses } = await inFlight(service, 100, agent);

  await service.drain(signal);
  const probe = await send(service.url, '/health/ready').catch(() => undefined);
  expect([503, undefined]).toContain(probe?.status);
  for (const other of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) service.signal(other);
  release();

  for (const { status, headers } of await responses()) {
    const { connection, 'shipping-completeness': completeness } = headers;
    expect([status, completeness, connection]).toEqual([200, 'complete', 'close']);
  }
  expect(await service.exit).toEqual(CLEAN_EXIT);
  await Promise.all(idle.map((connection) => connection.ending));
  expect(service.stderr).toBe('');
  agent.destroy();
});

describe('D27 a response that is written and not sent', () => {
  const LARGE = { ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '33554432' };
  const ADDRESS = 'x'.repeat(100_000);

  /** Requests more than the kernel keeps, and reads nothing until the service drains. */
  async function drainWhileUnread(service: ServiceProcess): Promise<Socket> {
    const records = wireRecords(160).map((record) => ({ ...record, ShippingAddress: ADDRESS }));
    processes.upstream.respondWith(json(wireList(records)));
    const socket = await unreadConnection(service.url);
    socket.write('GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually('unsent bytes', () => metricOf(service.url, 'http_server_unsent_bytes'), Boolean);
    await service.drain();
    return socket;
  }

  const requestsOf = (service: ServiceProcess): unknown[] =>
    service.log.filter(({ route }) => route === '/api/Shipping/GetShippingDetails').map(({ status }) => status);

  it('D27 reaches a client that reads it, and is logged', async () => {
    const service = await processes.start(LARGE);
    const socket = await drainWhileUnread(service);
    expect(requestsOf(service)).toEqual([]);
    const body = await buffer(socket);
    const [, length] = /content-length: (\d+)/i.exec(body.toString('latin1', 0, 2000)) ?? [];
    expect(body.length - body.indexOf('\r\n\r\n') - 4).toBe(Number(length));
    expect(Number(length)).toBeGreaterThan(16_000_000);
    expect(await service.exit).toEqual(CLEAN_EXIT);
    expect(requestsOf(service)).toEqual([200]);
  });

  it('D27 is cut off after 20 seconds, and logged as a disconnect', async () => {
    const service = await processes.start(LARGE, { preload: [HELD_TIMERS] });
    const socket = await drainWhileUnread(service);
    expect(await service.endsAfter(HARD_STOP_MS)).toEqual(CLEAN_EXIT);
    expect(requestsOf(service)).toEqual([499]);
    socket.destroy();
  });
});

it('D27 requests that never end are cut off after 20 seconds', async () => {
  const service = await processes.start(PATIENT, { preload: [HELD_TIMERS] });
  processes.upstream.respondWith({ perform: (exchange) => exchange.untilGone() });
  const unfinished = await RawConnection.to(service.url);
  unfinished.send('GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\nX-Half: ');
  const unfinishedRequest = ask(service, 'HANGS').catch(() => 'cut off');
  await processes.upstream.waitForCalls(1);
  await service.drain();
  expect(processes.upstream.inFlight()).toBe(1);
  expect(await service.endsAfter(HARD_STOP_MS)).toEqual(CLEAN_EXIT);
  expect(await unfinishedRequest).toBe('cut off');
  await unfinished.ending;
});

it('D26 a port in use: exit 1, and the setting is named', async () => {
  const { port } = new URL(processes.upstream.url);
  const sandbox = { EXTERNAL_SHIPPING_BASE_URL: '', SANDBOX_RECORDS: '10' };
  for (const variable of ['PORT', 'MANAGEMENT_PORT', 'SANDBOX_PORT']) {
    const service = processes.spawn({ [variable]: port, ...sandbox });
    expect([variable, (await service.exit).code]).toEqual([variable, 1]);
    const message = new RegExp(`${variable} cannot be used: .*EADDRINUSE: .*${port}$`);
    expect([fatalOf(service), service.stderr]).toEqual([[expect.stringMatching(message)], '']);
  }
});

it.each([
  ['192.0.2.1', 'EADDRNOTAVAIL'],
  ['no-such-host.invalid', 'E(NOTFOUND|AI_AGAIN)'],
])('D26 HOST=%s, set by another program: exit 1, and it is named', async (host, code) => {
  const service = processes.spawn({ HOST: host });
  expect((await service.exit).code).toBe(1);
  expect(fatalOf(service).join()).toMatch(new RegExp(`HOST or PORT cannot be used: .*${code}`));
});
