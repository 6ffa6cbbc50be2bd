import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { ServiceProcess } from '../../test/faults/support/service-process';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { bytes, soundReply } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { Checks, runProgram, say } from '../checks';

/**
 * Attacks the built service, with the heap of the manifests, one attack after the other: each holds as much memory as its
 * bound allows. After each, the process lives and serves another client. Exits 1 where it does not; the last line counts.
 */

const HEAP = '--max-old-space-size=256';
const API = '/api/Shipping/';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ATTACK_MS = 4000;

const checks = new Checks();
const sockets: Socket[] = [];

/** Opens so many connections, sends a text on each, and reads nothing. */
async function open(url: string, count: number, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined).write(text);
    sockets.push(socket);
    if (opened % 100 === 99) await pause(5);
  }
}

const get = (target: string, fields = ''): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const jsonOf = (text: string, headers = {}): Behaviour => bytes(Buffer.from(text), { ...JSON_TYPE, ...headers });
const recordsOf = (count: number, record: string): string => Array<string>(count).fill(record).join(',');

const WIDE = jsonOf(
  `{"ShippingDetails":[${recordsOf(10_000, `{"Id":"A","ShippingAddress":"\u0142${'x'.repeat(350)}"}`)}]}`,
);
const SHORT = jsonOf(
  `{"ShippingDetails":[${recordsOf(10_000, `{"Id":"A","ShippingAddress":"\u0142${'x'.repeat(60)}"}`)}]}`,
);
const ITEMS = jsonOf(`{"Id":"A","ShippingItems":[${recordsOf(1_700_000, '{}')}]}`);
const RECORDS = jsonOf(`{"TotalCount":1,"Items":[${recordsOf(582_520, '{"Id":1}')}]}`);
const WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: 0 } };
const BOMB = bytes(brotliCompressSync(Buffer.alloc(5_242_000, ' '), WINDOW), {
  ...JSON_TYPE,
  'Content-Encoding': 'br',
});

/** Chunks of one byte without an end, as fast as they are read. */
const CHUNKS: Behaviour = {
  perform: async (exchange) => {
    await exchange.write(responseHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }));
    const many = Buffer.from('1\r\n[\r\n'.repeat(10_000));
    while (!exchange.gone.aborted) {
      await exchange.write(many);
      await pause(0);
    }
  },
};

/** What the external system does for requests of the attackers, by their order id. */
const ATTACKS: Readonly<Record<string, Behaviour>> = {
  WIDE,
  SHORT,
  ITEMS,
  RECORDS,
  BOMB,
  CHUNKS,
  HELD: neverResponds(),
};

function respond(call: ReceivedCall): Behaviour {
  return ATTACKS[call.params.get('OrderId') ?? ''] ?? soundReply(call);
}

const listOf = (name: string): string => `${API}GetShippingDetails?Limit=10000&OrderId=${name}`;
const TINY_FIELDS = Array.from({ length: 1000 }, (_, index) => `${index.toString(36)}:\r\n`).join('');

const SCENARIOS: readonly (readonly [name: string, begin: (url: string) => Promise<void>])[] = [
  ['60 clients do not read lists with a letter beyond Latin-1', (url) => open(url, 60, get(listOf('WIDE')).repeat(4))],
  [
    '40 clients do not read 30 pipelined lists of short records',
    (url) => open(url, 40, get(listOf('SHORT')).repeat(30)),
  ],
  [
    '100 connections with 31 waiting requests of 99 header fields',
    async (url) => {
      await open(url, 100, get(listOf('HELD'), TINY_FIELDS.slice(0, 400)).repeat(63));
    },
  ],
  [
    '100 connections with 31 waiting requests of 1,000 header fields',
    async (url) => {
      await open(url, 100, get(listOf('HELD')).repeat(32) + get(listOf('HELD'), TINY_FIELDS).repeat(31));
    },
  ],
  [
    '7,500 half-sent requests of 1,000 header fields',
    (url) => open(url, 7500, get(listOf('HALF'), TINY_FIELDS).slice(0, -2)),
  ],
  ['chunks of one byte', (url) => open(url, 64, get(listOf('CHUNKS')))],
  ['1.7 million shipping items', (url) => open(url, 16, get(`${API}GetShippingSingle?OrderId=ITEMS`))],
  [
    '582,520 records in a page of one',
    (url) => open(url, 16, get(`${API}GetShippingPagedList?PageSize=1&OrderId=RECORDS`)),
  ],
  ['64 brotli bodies with a window of 16 MiB', (url) => open(url, 64, get(listOf('BOMB')))],
];

async function main(): Promise<void> {
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith(respond);
  const env = { EXTERNAL_SHIPPING_BASE_URL: upstream.url };
  const service = await ServiceProcess.start(env, { entry: 'dist/main.js', nodeArguments: [HEAP] });
  service.discardLog();
  const resident = (field: string): number => {
    const status = service.alive ? readFileSync(`/proc/${service.pid}/status`, 'utf8') : '';
    return Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1024);
  };
  say(`resident at rest: ${resident('VmRSS')} MiB`);
  for (const [name, begin] of SCENARIOS) {
    await begin(service.url);
    await pause(ATTACK_MS);
    const memory = `${resident('VmRSS')} MiB resident, ${resident('VmHWM')} MiB at most`;
    for (const socket of sockets.splice(0)) socket.destroy();
    checks.expect(
      `${name}: ${memory}; another client is served`,
      await serves(service.url),
      service.stderr.slice(-500),
    );
  }
  service.signal('SIGTERM');
  const { code } = await service.ended;
  checks.expect('it ends with 0', code === 0, String(code));
  await upstream.close();
}

/** Whether a client gets a complete response within ten seconds; refusals and open circuits of the attack may last so long. */
async function serves(url: string): Promise<boolean> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    const response = await fetch(`${url}${API}GetShippingInfoById/SHP-1`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.headers.get('shipping-completeness') === 'complete') return true;
    await pause(100);
  }
  return false;
}

void runProgram(checks, main);
