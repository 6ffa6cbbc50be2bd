import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../../testing/upstream/eventually';
import { detailsReply, wireRecords } from '../../testing/upstream/records';
import { held, json } from '../../testing/upstream/responses';
import { type HttpResponse, metricOf, send } from '../support/http-client';
import { PATIENT } from '../support/operations';
import { refusedUrl } from '../support/upstream/refused-url';
import { RawConnection } from './support/raw-connection';
import type { ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

const HELD_TIMERS = { preload: [join(__dirname, 'support/held-timers.js')] };
/** How long clients may hold on to a draining process. */
const HARD_STOP_MS = 20_000;

interface LogLine {
  readonly level: number;
  readonly msg: string;
}

/** The lines of a process, each of which is JSON, and those at `fatal`. */
function linesOf(service: ServiceProcess): { readonly all: readonly LogLine[]; readonly fatal: readonly LogLine[] } {
  const lines = service.stdout.trim().split('\n');
  const all = lines.map((line) => JSON.parse(line) as LogLine);
  return { all, fatal: all.filter(({ level }) => level === 60) };
}

describe('the process', () => {
  const processes = useServiceProcesses();

  const ask = (service: ServiceProcess, id: string, agent?: Agent): Promise<HttpResponse> =>
    service.request(`/api/Shipping/GetShippingDetails?OrderId=${id}`, { agent });
  const draining = (service: ServiceProcess): Promise<void> =>
    service.until(() => service.stdout.includes('"Draining"'), 'draining');

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'D27 %s: completes a hundred requests in flight, closes idle connections, and exits 0',
    async (signal) => {
      const service = await processes.start({ ...PATIENT, EXTERNAL_SHIPPING_MAX_CONCURRENT: '160' });
      const idle = await Promise.all(Array.from({ length: 20 }, () => RawConnection.to(service.url)));
      for (const connection of idle) connection.send('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await Promise.all(idle.map((connection) => connection.receives(1)));
      const { behaviour, release } = held();
      processes.upstream.respondWith(behaviour);
      const agent = new Agent({ keepAlive: true, maxSockets: 200 });
      const inFlight = Array.from({ length: 100 }, (_, index) => ask(service, `DRAIN-${index}`, agent));
      await processes.upstream.waitForCalls(100);

      service.signal(signal);
      await draining(service);
      const probe = await send(service.url, '/health/ready').catch(() => undefined);
      expect([503, undefined]).toContain(probe?.status);
      for (const other of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) service.signal(other);
      release();

      const responses = await Promise.all(inFlight);
      const seen = responses.map(({ status, headers }) => [
        status,
        headers['shipping-completeness'],
        headers.connection,
      ]);
      expect(seen).toEqual(Array(100).fill([200, 'complete', 'close']));
      expect((await service.exit).code).toBe(0);
      await Promise.all(idle.map((connection) => connection.ending));
      expect(service.stderr).toBe('');
      agent.destroy();
    },
  );

  it('D25 D27 the service starts, responds and stops without the external system', async () => {
    const service = await processes.start({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl(), CACHE_MAX_ENTRIES: '5' });
    const msg = 'CACHE_MAX_ENTRIES is no setting; the nearest is CACHE_MAX_BYTES';
    expect(service.log).toContainEqual(expect.objectContaining({ level: 40, msg }));
    const agent = new Agent({ keepAlive: true });
    expect((await send(service.url, '/health/ready')).status).toBe(200);
    const { headers } = await ask(service, 'NONE', agent);
    expect(headers['shipping-completeness']).toBe('unavailable;reason=upstream-unreachable');
    service.signal('SIGINT');
    expect((await service.exit).code).toBe(0);
    expect(service.log.map(({ msg }) => msg).slice(-3)).toEqual(['request', 'Draining', 'Stopped']);
    agent.destroy();
  });

  describe('D27 a response that is written and not sent', () => {
    const LARGE = { ...PATIENT, EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '33554432' };
    const ADDRESS = 'x'.repeat(100_000);

    /** Requests more than the kernel keeps, and reads nothing until the service drains. */
    async function drainWhileUnread(service: ServiceProcess): Promise<Socket> {
      const records = wireRecords(160).map((record) => ({ ...record, ShippingAddress: ADDRESS }));
      processes.upstream.respondWith(json(detailsReply(records)));
      const { hostname, port } = new URL(service.url);
      const socket = connect(Number(port), hostname).pause();
      socket.write('GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\n\r\n');
      await eventually('unsent bytes', () => metricOf(service.url, 'http_server_unsent_bytes'), Boolean);
      service.signal('SIGTERM');
      await draining(service);
      return socket;
    }

    const requestsOf = (service: ServiceProcess): unknown[] =>
      service.log.filter(({ route }) => route === '/api/Shipping/GetShippingDetails').map(({ status }) => status);

    it('D27 reaches a client that reads it to the last byte, and is logged', async () => {
      const service = await processes.start(LARGE);
      const socket = await drainWhileUnread(service);
      expect(requestsOf(service)).toEqual([]);
      const body = await buffer(socket);
      const [, length] = /content-length: (\d+)/i.exec(body.toString('latin1', 0, 2000)) ?? [];
      expect(body.length - body.indexOf('\r\n\r\n') - 4).toBe(Number(length));
      expect(Number(length)).toBeGreaterThan(16_000_000);
      expect((await service.exit).code).toBe(0);
      expect(requestsOf(service)).toEqual([200]);
    });

    it('D27 is cut off after 20 seconds where nobody reads it, and logged as a disconnect', async () => {
      const service = await processes.start(LARGE, HELD_TIMERS);
      const socket = await drainWhileUnread(service);
      await service.ask({ elapsedMs: HARD_STOP_MS - 1 }, 'elapsed');
      expect(service.alive).toBe(true);
      service.send({ elapsedMs: HARD_STOP_MS });
      expect((await service.exit).code).toBe(0);
      expect(requestsOf(service)).toEqual([499]);
      socket.destroy();
    });
  });

  it('D27 clients that never finish their requests are cut off after 20 seconds', async () => {
    const service = await processes.start(PATIENT, HELD_TIMERS);
    processes.upstream.respondWith({ perform: (exchange) => exchange.untilGone() });
    const unfinished = await RawConnection.to(service.url);
    unfinished.send('GET /api/Shipping/GetShippingDetails HTTP/1.1\r\nHost: a\r\nX-Half: ');
    const unfinishedRequest = ask(service, 'HANGS').catch(() => 'cut off');
    await processes.upstream.waitForCalls(1);
    service.signal('SIGTERM');
    await draining(service);
    await service.ask({ elapsedMs: HARD_STOP_MS - 1 }, 'elapsed');
    expect([service.alive, processes.upstream.inFlight()]).toEqual([true, 1]);
    service.send({ elapsedMs: HARD_STOP_MS });
    expect((await service.exit).code).toBe(0);
    expect(await unfinishedRequest).toBe('cut off');
    await unfinished.ending;
  });

  it('D26 bad settings: exit 1, all of them listed, no value disclosed', async () => {
    const secret = 'hunter2';
    const bad = {
      PORT: `${secret}1`,
      EXTERNAL_SHIPPING_BASE_URL: `ftp://user:${secret}@host`,
      EXTERNAL_SHIPPING_TOKEN: `${secret} with a space`,
      EXTERNAL_SHIPPING_BY_ID_PATH: `/no-placeholder/${secret}`,
      SHIPPING_ID_PATTERN: `(${secret}`,
      AUTH_JWKS_URL: `https://user:${secret}@host/keys`,
      AUTH_API_KEYS_SHA256: secret,
      REDIS_URL: `amqp://:${secret}@host`,
      SANDBOX_RECORDS: '0',
    };
    const service = processes.spawn(bad);
    expect((await service.exit).code).toBe(1);
    for (const name of Object.keys(bad)) expect(service.stderr).toContain(name);
    expect(service.stdout + service.stderr).not.toMatch(/hunter2|at .+:\d+/);
  });

  it('D25 D27 probes and metrics on a port of their own are there before and after everything else', async () => {
    const service = await processes.start({ ...PATIENT, MANAGEMENT_PORT: '0' });
    const management = String(service.log.find((line) => 'management' in line)?.management);
    const [first, then] = ['management', 'address'].map((name) => service.log.findIndex((line) => name in line));
    expect(first).toBeLessThan(Number(then));
    expect((await send(management, '/health/ready')).status).toBe(200);
    const { behaviour, release } = held();
    processes.upstream.respondWith(behaviour);
    const inFlight = ask(service, 'LAST');
    await processes.upstream.waitForCalls(1);
    const idle = await RawConnection.to(management);
    idle.send('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    await idle.receives(1);
    const unfinished = await RawConnection.to(management);
    unfinished.send('GET /metrics HTTP/1.1\r\nHost: a\r\nX-Half: ');

    service.signal('SIGTERM');
    await draining(service);
    // Operations are still in flight, so that the orchestrator still gets a response.
    const probe = await send(management, '/health/ready');
    expect([probe.status, probe.json().status, probe.headers.connection]).toEqual([503, 'draining', 'close']);
    expect((await send(management, '/health/live')).status).toBe(200);
    release();
    expect((await inFlight).status).toBe(200);
    await idle.ending;
    expect((await service.exit).code).toBe(0);
    await unfinished.ending;
    expect(service.stderr).toBe('');
  });

  it('D26 D88 a port in use: exit 1, also with a sandbox, and the message names the setting', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const port = String((taken.address() as AddressInfo).port);
    const sandbox = { EXTERNAL_SHIPPING_BASE_URL: '', SANDBOX_RECORDS: '10' };
    for (const variable of ['PORT', 'MANAGEMENT_PORT', 'SANDBOX_PORT']) {
      const service = processes.spawn({ [variable]: port, ...sandbox });
      expect([variable, (await service.exit).code]).toEqual([variable, 1]);
      const { fatal } = linesOf(service);
      const message = new RegExp(`EADDRINUSE: .*${port}; set ${variable} to another one$`);
      expect([fatal.length, fatal[0]?.msg, service.stderr]).toEqual([1, expect.stringMatching(message), '']);
    }
    taken.close();
  });

  it.each([
    ['192.0.2.1', {}, /^ {2}- HOST must be an address of this machine, or a name of one: EADDRNOTAVAIL$/m],
    [
      'no-such-host.invalid',
      {},
      /^ {2}- HOST must be an address of this machine, or a name of one: E(NOTFOUND|AI_AGAIN)$/m,
    ],
    [
      'x86_64-conda-linux-gnu',
      { LOG_FORMAT: 'journald' },
      /^<2> {2}- HOST must be an address or a host name, without a port$/m,
    ],
  ])('D26 HOST=%s, set by another program: exit 1, and a fault that names it', async (host, env, fault) => {
    const service = processes.spawn({ HOST: host, ...env });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toMatch(/^(<2>)?Bad settings:\n/);
    expect(service.stderr).toMatch(fault);
  });

  it('D26 a provider of a team that is missing: exit 1, and one JSON line at fatal that names it', async () => {
    const service = processes.spawn({}, { preload: [join(__dirname, 'support/missing-provider.ts')] });
    expect((await service.exit).code).toBe(1);
    const { fatal, all } = linesOf(service);
    expect([all.length, fatal.length, service.stderr]).toEqual([1, 1, '']);
    expect(fatal[0]?.msg).toMatch(/^The service could not start: .*CarrierController.*"carriers"/);
  });

  it('D26 stopped for longer than its deadlines while upstream responses came: they are read', async () => {
    const deadlineMs = 2_000;
    const deadline = String(deadlineMs);
    const deadlines = { EXTERNAL_SHIPPING_TIMEOUT_MS: deadline, EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: deadline };
    const service = await processes.start(deadlines);
    await ask(service, 'WARM');
    const { behaviour, release } = held();
    processes.upstream.respondWith(behaviour);
    const inFlight = Array.from({ length: 5 }, (_, index) => ask(service, `STOPPED-${index}`));
    await processes.upstream.waitForCalls(6);
    await service.pause();
    release();
    // The kernel holds this process; only time passes its deadlines.
    await new Promise((resolve) => setTimeout(resolve, deadlineMs));
    service.signal('SIGCONT');

    const responses = (await Promise.all(inFlight)).map(({ headers }) => headers['shipping-completeness']);
    expect(new Set(responses)).toEqual(new Set(['complete']));
    // No attempt was taken for failed and made again.
    expect(processes.upstream.calls).toHaveLength(6);
  });
});
