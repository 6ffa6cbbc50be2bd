import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { ServiceProcess } from '../../test/faults/support/service-process';
import { neverResponds } from '../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../testing/upstream/exchange';
import { bytes, soundReply } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { Checks, memoryOf, runProgram, say, until } from '../checks';
import { HostileClients } from './hostile-clients';
import { HEAP } from './scenarios';

/**
 * Attacks the built service with the heap limit of the manifests in `deploy/`. In each attack it holds as much memory
 * as its bounds allow; then it has to serve another client. Exits with 1 where it does not.
 */

const API = '/api/Shipping/';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const ATTACK_MS = 4000;

const checks = new Checks();

const jsonOf = (text: string): Behaviour => bytes(Buffer.from(text), JSON_TYPE);
const repeated = (count: number, record: string): string => Array<string>(count).fill(record).join(',');
const addresses = (length: number): Behaviour =>
  jsonOf(`{"ShippingDetails":[${repeated(10_000, `{"Id":"A","ShippingAddress":"\u0142${'x'.repeat(length)}"}`)}]}`);
const WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: 0 } };
const BOMB = brotliCompressSync(Buffer.alloc(5_242_000, ' '), WINDOW);

/** An endless body in chunks of one byte, written as fast as the service reads. */
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

/** The responses of the external system to requests of the attackers, by their order id. */
const ATTACKS: Readonly<Record<string, Behaviour>> = {
  WIDE: addresses(350),
  SHORT: addresses(60),
  ITEMS: jsonOf(`{"Id":"A","ShippingItems":[${repeated(1_700_000, '{}')}]}`),
  RECORDS: jsonOf(`{"TotalCount":1,"Items":[${repeated(582_520, '{"Id":1}')}]}`),
  BOMB: bytes(BOMB, { ...JSON_TYPE, 'Content-Encoding': 'br' }),
  CHUNKS,
  HELD: neverResponds(),
};

const get = (target: string, fields = ''): string => `GET ${API}${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const listOf = (name: string, fields = ''): string => get(`GetShippingDetails?Limit=10000&OrderId=${name}`, fields);
const THIRTY_TWO_ACTIVE = listOf('HELD').repeat(32);
const TINY_FIELDS = Array.from({ length: 1000 }, (_, index) => `${index.toString(36)}:\r\n`).join('');

/** Each attack: its name, the number of its connections, and the text that is sent on each. */
const SCENARIOS: readonly (readonly [name: string, connections: number, text: string])[] = [
  ['4 unread lists with a letter beyond Latin-1', 60, listOf('WIDE').repeat(4)],
  ['30 unread lists of short records', 40, listOf('SHORT').repeat(30)],
  ['31 waiting requests of 99 header fields', 100, listOf('HELD', TINY_FIELDS.slice(0, 400)).repeat(63)],
  ['31 waiting requests of 1,000 header fields', 100, THIRTY_TWO_ACTIVE + listOf('HELD', TINY_FIELDS).repeat(31)],
  ['a half-sent request of 1,000 header fields', 7500, listOf('HALF', TINY_FIELDS).slice(0, -2)],
  ['a body in chunks of one byte', 64, listOf('CHUNKS')],
  ['1.7 million shipping items', 16, get('GetShippingSingle?OrderId=ITEMS')],
  ['582,520 records in a page of one', 16, get('GetShippingPagedList?PageSize=1&OrderId=RECORDS')],
  ['a brotli body with a window of 16 MiB', 64, listOf('BOMB')],
];

async function main(): Promise<void> {
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith((call) => ATTACKS[call.params.get('OrderId') ?? ''] ?? soundReply(call));
  const env = { EXTERNAL_SHIPPING_BASE_URL: upstream.url };
  const service = await ServiceProcess.start(env, { entry: 'dist/main.js', nodeArguments: [HEAP] });
  service.discardLog();
  const hostile = new HostileClients(service.url);
  say(`resident at rest: ${memoryOf(service.pid).toFixed()} MiB`);
  for (const [name, connections, text] of SCENARIOS) {
    await hostile.leaveUnread(connections, text);
    await pause(ATTACK_MS);
    const [now, most] = [memoryOf(service.pid), memoryOf(service.pid, 'VmHWM')].map((mebibytes) => mebibytes.toFixed());
    hostile.stop();
    // Refusals for overload and open circuits may outlast the attack by a few seconds.
    const isServed = await until(() => isComplete(service.url), 10_000, 100);
    const check = `${connections} × ${name}: ${now} MiB resident, ${most} MiB at most; another client is served`;
    checks.expect(check, isServed, service.stderr.slice(-500));
  }
  service.signal('SIGTERM');
  const { code } = await service.ended;
  checks.expect('it ends with 0', code === 0, String(code));
  await upstream.close();
}

async function isComplete(url: string): Promise<boolean> {
  const response = await fetch(`${url}${API}GetShippingInfoById/SHP-1`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.headers.get('shipping-completeness') === 'complete';
}

void runProgram(checks, main);
