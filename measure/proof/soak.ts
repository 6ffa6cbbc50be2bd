import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../../test/faults/support/service-process';
import * as bodies from '../../testing/upstream/body-faults';
import * as connections from '../../testing/upstream/connection-faults';
import type { Behaviour } from '../../testing/upstream/exchange';
import type { ReceivedCall } from '../../testing/upstream/received-call';
import { delayed, empty, html, redirect, status, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { checkEqual, checkNone, checkThat, runProgram, say, until } from '../checks';
import { Load } from '../load';
import { median } from '../report';
import { HostileClients } from './hostile-clients';
import { HEAP, SETTINGS } from './scenarios';

/**
 * Runs mixed traffic for `--minutes N` (default 10): complete responses, disconnects, every fault of the external
 * system, outages that open the circuit, interrupted floods. Exits with 1 where memory or connections grow.
 */

const RATE = 80;
const PHASE_MS = 1_500;
const FLOOD_MS = 200;
const WARM_UP_CYCLES = 3;
const CALM_MS = 15_000;
/**
 * The growth of the heap that is taken for newly compiled code and garbage. A leak of a hundred bytes a request exceeds
 * this growth in minutes.
 */
const HEAP_TOLERANCE_BYTES = 1_048_576;

type Script = (call: number, received: ReceivedCall) => Behaviour;

/** What makes an attempt fail at once. */
const FAULTS = [
  ...[
    status(400),
    status(429, { retryAfter: 0 }),
    status(503, { retryAfter: 30 }),
    html(502),
    redirect(),
    html(),
    empty(200),
  ],
  ...[bodies.badJson(), bodies.wrongShape(), bodies.deepJson(40_000), bodies.truncatedGzip(), bodies.oversized()],
  ...[bodies.hugeHeaders(), bodies.garbageBytes(), connections.endlessBody(), connections.closesEarly()],
  ...[connections.resetsMidBody(), connections.resetsBeforeHeaders()],
];
const valid: Script = (call, received) => (call % 10 === 0 ? status(404) : validResponse(received));
const mixed: Script = (call, received) => {
  const fault = call % 5 === 0 ? FAULTS[(call / 5) % FAULTS.length] : undefined;
  return fault ?? delayed(call % 60, valid(call, received));
};
/** The external system in each phase. Each outage is followed by a recovery, which closes the circuit. */
const PHASES: readonly Script[] = [valid, mixed, () => status(500), mixed, () => connections.neverResponds(), valid];

/** Measurements of the service, after a garbage collection. */
interface Metrics {
  readonly heapBytes: number;
  readonly connections: number;
  readonly timers: number;
  readonly warnings: readonly string[];
}

const metricsOf = async (service: ServiceProcess) => (await service.ask({}, 'metrics')).metrics as Metrics;
/** All kinds of responses that came, as status and reason. */
const seen = new Set<string>();

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes must be a number from 0 to 600');
  const upstream = await ScriptedUpstream.start();
  const service = await ServiceProcess.start(
    { ...SETTINGS, EXTERNAL_SHIPPING_BASE_URL: upstream.url },
    { entry: 'dist/main.js', preload: [join(__dirname, '../probe.js')], nodeArguments: ['--expose-gc', HEAP] },
  );
  service.discardLog();
  try {
    for (let cycle = 0; cycle < WARM_UP_CYCLES; cycle += 1) await play(service, upstream);
    const before = await calm(service, upstream);
    const samples: Metrics[] = [];
    const end = performance.now() + minutes * 60_000;
    while (performance.now() < end) {
      await play(service, upstream);
      samples.push(await metricsOf(service));
      say(`sample ${samples.length}: ${JSON.stringify(samples.at(-1))}`);
    }
    compare(before, await calm(service, upstream), samples);
  } finally {
    service.signal('SIGTERM');
    const { code } = await service.exit;
    await upstream.close();
    checkThat('it ends with 0, without an error', code === 0 && service.stderr === '', `${code} ${service.stderr}`);
  }
}

async function play(service: ServiceProcess, upstream: ScriptedUpstream): Promise<void> {
  const load = new Load(service.url, { ratePerSecond: RATE, oneLeavesOf: 9 });
  const clients = new HostileClients(service.url);
  load.start();
  let calls = 0;
  for (const phase of PHASES) {
    upstream.respondWith((received) => phase((calls += 1), received));
    clients.flood('/api/Shipping/GetShippingDetails?Limit=7');
    await pause(FLOOD_MS);
    clients.stop();
    await pause(PHASE_MS);
    upstream.calls = [];
  }
  await load.stop();
  for (const { status: code, what } of load.outcomes) seen.add(code <= 0 ? String(code) : `${code} ${what}`);
}

/** Measures after a wait in which idle connections are closed: a connection that is still open then is a leak. */
async function calm(service: ServiceProcess, upstream: ScriptedUpstream): Promise<Metrics> {
  const connectionsOf = async (): Promise<number> =>
    Math.max((await metricsOf(service)).connections, upstream.openSockets());
  await until(async () => (await connectionsOf()) === 0, CALM_MS, 500);
  const metrics = { ...(await metricsOf(service)), connections: await connectionsOf() };
  say(`calm: ${JSON.stringify(metrics)}`);
  return metrics;
}

function compare(before: Metrics, after: Metrics, samples: readonly Metrics[]): void {
  // V8 drops compiled code and compiles it again, so that single values differ by a megabyte.
  const heap = [before, ...samples, after].map(({ heapBytes }) => heapBytes);
  const half = Math.ceil(heap.length / 2);
  const growth = median(heap.slice(-half)) - median(heap.slice(0, half));
  checkThat(`the heap grows by ${growth} bytes`, growth <= HEAP_TOLERANCE_BYTES, `over ${HEAP_TOLERANCE_BYTES}`);
  checkEqual('no connection is left', after.connections, 0);
  checkThat('no timer is left', after.timers <= before.timers, `${before.timers} → ${after.timers}`);
  checkNone('no warning', after.warnings);
  const known = /^(-1|200 .*|404 shipping-not-found|50[0234] .*)$/;
  const isUnspecified = (name: string): boolean => !known.test(name) || /internal|other/.test(name);
  checkNone('every response is one of those specified', [...seen].filter(isUnspecified));
  const wanted = ['200 complete', '404 shipping-not-found', '200 circuit-open', '500 upstream-timeout', '-1'];
  const missing = wanted.filter((name) => !seen.has(name));
  checkNone('every kind of traffic took part', missing);
}

void runProgram(main);
