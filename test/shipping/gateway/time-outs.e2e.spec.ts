import dns from 'node:dns/promises';
import { once } from 'node:events';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { neverResponds, stallsMidBody } from '../../../testing/upstream/connection-faults';
import { ScriptedUpstream } from '../../../testing/upstream/scripted-upstream';
import { expectDegraded } from '../../faults/support/fault-responses';
import { expectUnavailable } from '../../support/expected';
import { BY_ID, OPERATIONS, PAGED, STRICT } from '../../support/operations';
import { RunningService, useClosing } from '../../support/service';

const ATTEMPT_MS = 1000;
const CONNECT_MS = 800;
const ENV = { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS), EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };

const closedLater = useClosing();

async function start(url: string, env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  return closedLater(await RunningService.start({ ...ENV, EXTERNAL_SHIPPING_BASE_URL: url, ...env }));
}

/** A host name whose name server does not respond. */
function silentName(): string {
  const lookup = dns.lookup as (...parameters: unknown[]) => Promise<unknown>;
  const found = (host: string, options: unknown): Promise<unknown> =>
    host === 'silent.example' ? new Promise(() => undefined) : lookup(host, options);
  jest.spyOn(dns, 'lookup').mockImplementation(found as never);
  return 'http://silent.example:8080';
}

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

it('D82 calls share the lookup of a name that gets no answer', async () => {
  const service = await start(silentName());
  await Promise.all(Array.from({ length: 12 }, () => service.request(PAGED.request)));
  const lookups = jest.mocked(dns.lookup).mock.calls.filter(([name]) => name === 'silent.example');
  expect(lookups).toHaveLength(1);
});

describe('D81 a time-out names what was waited for', () => {
  it.each(PHASES)('%s, in an attempt', async (_, address, phase) => {
    const service = await start(await address());
    const cause = `time-out: no ${phase} within ${CONNECT_MS} ms`;
    for (const operation of OPERATIONS) {
      expectDegraded(operation, await service.request(operation.request), 'upstream-timeout');
      expect(service.requestLog.at(-1)?.cause).toBe(cause);
    }
    expect((await service.request(BY_ID.request, STRICT)).status).toBe(504);
    expect(service.messages('is unreachable')).toEqual([`The external system is unreachable: ${cause}`]);
  });

  it.each(PHASES)('%s, in a short call', async (_, address, phase) => {
    const service = await start(await address(), { EXTERNAL_SHIPPING_TIMEOUT_MS: '500' });
    expectUnavailable(PAGED, await service.request(PAGED.request), 'upstream-timeout');
    expect(service.requestLog.at(-1)?.cause).toBe(`time-out: no ${phase} within the 500 ms of the call`);
  });

  it.each([
    ['no response', neverResponds(), `no response within ${ATTEMPT_MS} ms`],
    ['the rest of a response', stallsMidBody(), `response incomplete after ${ATTEMPT_MS} ms`],
  ])('%s', async (_, behaviour, cause) => {
    const upstream = closedLater(await ScriptedUpstream.start());
    const service = await start(upstream.url);
    for (let call = 0; call < 2; call += 1) {
      upstream.respondWith(behaviour);
      await service.request(BY_ID.request);
      expect(service.requestLog.at(-1)?.cause).toBe(`time-out: ${cause}`);
    }
    expect(service.messages('is unreachable')).toEqual([]);
  });
});
