import dns from 'node:dns/promises';
import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { eventually } from '../../../testing/upstream/eventually';
import { held, validResponse } from '../../../testing/upstream/responses';
import { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { expectDegraded } from '../../faults/support/fault-responses';
import { completenessOf, expectUnavailable } from '../../support/expected';
import { useMonotonicClock } from '../../support/monotonic-clock';
import { BY_ID, OPERATIONS, PAGED, STRICT } from '../../support/operations';
import { ONCE, RunningService, useClosing } from '../../support/service';

const ATTEMPT_MS = 1000;
const CONNECT_MS = 800;
const SHORT = { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS) };

const closedLater = useClosing();

async function listen(options?: Parameters<typeof ScriptedUpstream.start>[0]): Promise<ScriptedUpstream> {
  const upstream = closedLater(await ScriptedUpstream.start(options));
  upstream.respondWith(validResponse);
  return upstream;
}

async function start(url: string, env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const settings = { ...ONCE, EXTERNAL_SHIPPING_BASE_URL: url };
  return closedLater(await RunningService.start({ ...settings, ...env }));
}

/** Lets a host name resolve to what a function returns; other names are looked up. */
function resolveName(name: string, addresses: () => readonly string[] | Promise<never>): void {
  const lookup = dns.lookup as (...args: unknown[]) => Promise<unknown>;
  const found = async (host: string, options: unknown): Promise<unknown> =>
    host === name
      ? (await addresses()).map((address) => ({ address, family: net.isIP(address) }))
      : lookup(host, options);
  jest.spyOn(dns, 'lookup').mockImplementation(found as never);
}

/** A host name whose name server does not respond. */
function silentName(): string {
  resolveName('silent.example', () => new Promise(() => undefined));
  return 'http://silent.example:8080';
}

it('D82 an idle connection is closed after four seconds', async () => {
  const upstream = await listen();
  const service = await start(upstream.url);
  expect(completenessOf(await service.request(PAGED.request))).toBe('complete');
  expect(upstream.openSockets()).toBe(1);
  await eventually('open connections', () => upstream.openSockets(), 0, 30_000);
});

describe('D82 a host name that moves', () => {
  const clock = useMonotonicClock();

  it('D82 is followed within a minute under traffic', async () => {
    let addresses = ['127.0.0.1'];
    resolveName('moving.example', () => addresses);
    const old = await listen();
    const { port } = new URL(old.url);
    const next = await listen({ host: '127.0.0.2', port: Number(port) });
    const service = await start(`http://moving.example:${port}`, { EXTERNAL_SHIPPING_MAX_CONCURRENT: '10' });
    const send = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 3 }, async () => completenessOf(await service.request(PAGED.request))));
    const complete = ['complete', 'complete', 'complete'];
    // Six connections are open, of which three are idle while the others have a request in flight.
    const opening = held();
    old.respondWith(opening.behaviour);
    const opened = Promise.all([send(), send()]);
    await old.waitForCalls(6);
    opening.release();
    expect(await opened).toEqual([complete, complete]);

    addresses = ['127.0.0.2'];
    clock.advance(59_000);
    const { behaviour, release } = held();
    old.respondWith(behaviour);
    const inFlight = send();
    await old.waitForCalls(9);
    clock.advance(1000);
    expect(await send()).toEqual(complete);
    expect([old.calls.length, next.calls.length]).toEqual([9, 3]);
    release();
    expect(await inFlight).toEqual(complete);
  });

  it('D82 an address is given up after half the attempt', async () => {
    resolveName('moving.example', () => ['::ffff:127.0.0.9', '127.0.0.1']);
    const connect = jest.spyOn(net, 'connect');
    const { port } = new URL((await listen()).url);
    const service = await start(`http://moving.example:${port}`, { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '3000' });
    expect(completenessOf(await service.request(PAGED.request))).toBe('complete');
    const half = { host: 'moving.example', autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1500 };
    expect(connect.mock.calls.map(([options]) => options as unknown)).toContainEqual(expect.objectContaining(half));
  });
});

/**
 * The address of a listener whose queue of connections is full, because its thread does not accept any: the kernel drops
 * further ones, as a firewall does.
 */
async function droppingAddress(): Promise<string> {
  const code = `const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true });
  closedLater({ close: () => worker.terminate() });
  const [port] = (await once(worker, 'message')) as [number];
  const waiting = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => undefined));
  for (const socket of waiting) closedLater({ close: () => socket.destroy() });
  // The kernel takes two connections for a backlog of one.
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  return `http://127.0.0.1:${port}`;
}

/** The port of a listener that accepts connections and sends nothing. */
async function mutePort(): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    closedLater({ close: () => socket.destroy() });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closedLater(server);
  return (server.address() as net.AddressInfo).port;
}

const PHASES: [string, () => string | Promise<string>, string][] = [
  ['a silent name server', silentName, 'address of the host name'],
  ['dropped packets', droppingAddress, 'connection'],
  ['a server that does not begin TLS', async () => `https://127.0.0.1:${await mutePort()}`, 'TLS handshake'],
];

describe('D81 a time-out names what was waited for', () => {
  it.each(PHASES)('%s, in an attempt', async (_, address, phase) => {
    const service = await start(await address(), SHORT);
    const cause = `time-out: no ${phase} within ${CONNECT_MS} ms`;
    for (const operation of OPERATIONS) {
      expectDegraded(operation, await service.request(operation.request), 'upstream-timeout');
      expect(service.requestLog.at(-1)?.cause).toBe(cause);
    }
    expect((await service.request(BY_ID.request, STRICT)).status).toBe(504);
    expect(service.messages('is unreachable')).toEqual([`The external system is unreachable: ${cause}`]);
  });

  it.each(PHASES)('%s, in a short call', async (_, address, phase) => {
    const service = await start(await address(), { ...SHORT, EXTERNAL_SHIPPING_TIMEOUT_MS: '500' });
    expectUnavailable(PAGED, await service.request(PAGED.request), 'upstream-timeout');
    expect(service.requestLog.at(-1)?.cause).toBe(`time-out: no ${phase} within the 500 ms of the call`);
  });
});
