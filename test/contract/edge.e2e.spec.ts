import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { MAX_UNSENT_BYTES } from '../../src/http/server/overload';
import { expectProblem } from '../support/expectations';
import { DETAILS, eventually } from '../support/operations';
import { type RunningService, useScriptedService } from '../support/service';
import { held } from '../support/upstream/held';
import { detailsReply, wireRecords } from '../support/upstream/records';
import { json } from '../support/upstream/responses';
import { PATIENT } from '../support/patient';

const MIB = 1_048_576;
/** More than the kernel keeps for a client that does not read. */
const LARGE_BYTES = 8 * MIB;
const LARGE = json(
  detailsReply(wireRecords(64).map((record) => ({ ...record, ShippingAddress: 'x'.repeat(LARGE_BYTES / 64) }))),
);
const request = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const details = (limit: number): string => request(`/api/Shipping/GetShippingDetails?Limit=${limit}`);

/** Connects and does not read. */
async function unread({ url }: RunningService): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function metric(service: RunningService, sample: string): Promise<number> {
  const { body } = await service.get('/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1));
}

describe('D59 responses that clients do not read', () => {
  const scripted = useScriptedService({
    ...PATIENT,
    EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: String(2 * LARGE_BYTES),
  });
  const sockets: Socket[] = [];

  beforeEach(() => {
    scripted.upstream.respondWith(LARGE);
    // One byte counts as many, so that 8 MiB fill the bound.
    const { connections } = scripted.service.app.getHttpAdapter().getInstance();
    const bytes = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(connections), 'unsentBytes')
      ?.get as () => number;
    const factor = MAX_UNSENT_BYTES / LARGE_BYTES;
    jest.spyOn(connections, 'unsentBytes', 'get').mockImplementation(() => factor * bytes.call(connections));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventuallyUnsent((bytes) => bytes === 0);
  });

  async function client(): Promise<Socket> {
    const socket = await unread(scripted.service);
    sockets.push(socket);
    return socket;
  }

  /** Waits until so many bytes are unsent; resolves with their number. */
  async function eventuallyUnsent(expected: (bytes: number) => boolean): Promise<number> {
    for (;;) {
      const bytes = await metric(scripted.service, 'http_server_unsent_bytes');
      if (expected(bytes)) return bytes;
    }
  }

  it('D59 beyond 128 MiB operations and documents are 503, probes are served; sent, all is as before', async () => {
    const { service } = scripted;
    (await client()).write(details(1));
    await eventuallyUnsent((bytes) => bytes > MAX_UNSENT_BYTES);
    for (const path of [`/api/Shipping/${DETAILS.request}`, '/docs', '/openapi.json', '/nowhere']) {
      const refused = await service.get(path);
      expectProblem(refused, 503, 'overloaded');
      expect(refused.headers['retry-after']).toBe('1');
    }
    for (const path of ['/health/live', '/health/ready', '/metrics'])
      expect((await service.get(path)).status).toBe(200);
    expect(await metric(service, 'http_server_refused_requests_total{cause="unsent-bytes"}')).toBeGreaterThanOrEqual(4);
    for (const socket of sockets) socket.destroy();
    await eventuallyUnsent((bytes) => bytes === 0);
    expect(service.requestLog).toContainEqual(
      expect.objectContaining({ route: '/api/Shipping/GetShippingDetails', status: 499 }),
    );
    expect((await service.request(DETAILS.request)).headers['shipping-completeness']).toMatch(/^complete/);
  });

  it('D59 a burst of responses to requests in progress stays within the bound, too', async () => {
    const { service, upstream } = scripted;
    const { behaviour, release } = held(LARGE);
    upstream.respondWith(behaviour);
    const lines = service.requestLog.length;
    for (let count = 0; count < 4; count += 1) (await client()).write(details(1).repeat(8));
    while ((await metric(service, 'http_server_active_requests')) < 4 * 8 + 1) continue;
    release();
    const refused = (): number => service.requestLog.slice(lines).filter(({ status }) => status === 503).length;
    await eventually(() => refused() > 0);
    // One response is more than the bound, and is sent nevertheless.
    expect(await eventuallyUnsent((bytes) => bytes > MAX_UNSENT_BYTES)).toBeLessThan(1.1 * MAX_UNSENT_BYTES);
    const [line] = service.requestLog.slice(lines).filter(({ status }) => status === 503);
    expect(line).toMatchObject({ problem: 'overloaded', route: '/api/Shipping/GetShippingDetails' });
    expect(line).not.toHaveProperty('completeness');
  });

  it('D59 a connection whose response nobody reads is closed, one whose request is in progress is not', async () => {
    const { service, upstream } = scripted;
    const server = service.app.getHttpServer();
    const { timeout } = server;
    server.timeout = 100;
    const { behaviour, release } = held();
    upstream.respondWith(behaviour);
    const waiting = await client();
    waiting.write(details(1));
    await upstream.waitForCalls(1);
    upstream.respondWith(LARGE);
    const unread = await client();
    unread.write(details(2));
    // The time-out of the first connection passes before that of the second.
    await eventuallyUnsent((bytes) => bytes > 0);
    await eventuallyUnsent((bytes) => bytes === 0);
    server.timeout = timeout;
    release();
    const [head] = (await once(waiting.resume(), 'data')) as [Buffer];
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /);
  });
});
