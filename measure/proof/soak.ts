import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { EXTERNAL_FAULTS } from '../../test/faults/support/external-faults';
import { delayed, json, status } from '../../test/support/upstream/responses';
import type { Behaviour } from '../../test/support/upstream/exchange';
import { ScriptedUpstream } from '../../test/support/upstream/scripted-upstream';
import { HostileClients } from './hostile-clients';
import { Load } from './load';
import { median } from '../statistics';
import { Checks, say } from '../checks';
import { ServiceUnderTest, type Measurements } from './subject';
import { SETTINGS } from './trial';

/**
 * Mixed traffic for `--minutes N` (default 10): complete responses, no matches, clients that disconnect, every fault of
 * the upstream, outages that open the circuit, hostile query strings, pipelined floods, a log that nothing reads. Exits 1
 * where anything grows: heap after collection, sockets, timers, listeners.
 */

const RATE = 60;
const PHASE_MS = 2_000;
const WARM_UP_CYCLES = 2;
const CALM_MS = 15_000;
/**
 * How much later samples of the heap may be above earlier ones: what code that runs for the first time, caches of compiled
 * code and the fragments of collections make up. A leak of a hundred bytes a request is beyond it in minutes.
 */
const HEAP_TOLERANCE_BYTES = 1_048_576;
/** Objects that wait for a collection of their own. */
const STRAY_OBJECTS = 3;

const FAULTS = EXTERNAL_FAULTS.filter(({ heavy }) => heavy !== true);

type Script = (call: number) => Behaviour;

const sound: Script = (call) => (call % 10 === 0 ? status(404) : json());
const oddly: Script = (call) =>
  call % 5 === 0 ? (FAULTS[(call / 5) % FAULTS.length]?.behaviour() ?? json()) : sound(call);
const slow: Script = (call) => delayed(call % 60, sound(call));
const outage: Script = () => status(500);
const silence: Script = () => ({ perform: (exchange) => exchange.untilGone() });

/** One cycle; each outage is followed by a recovery. */
const PHASES: readonly Script[] = [sound, oddly, outage, slow, oddly, silence, sound];

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const checks = new Checks();

async function main(): Promise<void> {
  const minutes = Number(options.minutes);
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes must be a number from 0 to 600');
  const upstream = await ScriptedUpstream.start();
  const subject = await ServiceUnderTest.start({ ...SETTINGS, EXTERNAL_SHIPPING_BASE_URL: upstream.url });
  const load = new Load(subject.url, { ratePerSecond: RATE, oneLeavesOf: 9 });
  const seen = new Map<string, number>();
  let exitCode: number | null = null;
  try {
    for (let cycle = 0; cycle < WARM_UP_CYCLES; cycle += 1) await play(subject, upstream, load, seen);
    const before = await calm(subject, upstream);
    say(`calm before: ${describe(before)}`);
    const samples = await sample(minutes, subject, () => play(subject, upstream, load, seen));
    const after = await calm(subject, upstream);
    say(`calm after:  ${describe(after)}`);
    judge(before, after, samples);
    await checkResponses(subject, seen);
  } finally {
    exitCode = await subject.stop();
    await upstream.close();
  }
  checks.expect('it ends with 0', exitCode === 0, String(exitCode));
}

/** One cycle of all phases. */
async function play(
  subject: ServiceUnderTest,
  upstream: ScriptedUpstream,
  load: Load,
  seen: Map<string, number>,
): Promise<void> {
  const hostile = new HostileClients(subject.url);
  load.start();
  subject.stallLog();
  let calls = 0;
  for (const phase of PHASES) {
    upstream.respondWith(() => phase((calls += 1)));
    await Promise.all([pause(PHASE_MS), hostile.flood()]);
    count(seen, `hostile query ${await hostile.sendHostileQuery()}`);
    upstream.calls = [];
  }
  subject.readLog();
  await load.stop();
  for (const { status: code, what } of load.outcomes) {
    count(seen, `${code} ${code <= 0 ? '' : what}`.trim());
  }
  load.outcomes = [];
}

function count(seen: Map<string, number>, name: string): void {
  seen.set(name, (seen.get(name) ?? 0) + 1);
}

async function sample(minutes: number, subject: ServiceUnderTest, cycle: () => Promise<void>): Promise<Measurements[]> {
  const end = performance.now() + minutes * 60_000;
  const samples: Measurements[] = [];
  while (performance.now() < end) {
    await cycle();
    const figures = await subject.measure(true);
    samples.push(figures);
    say(`sample ${samples.length}: ${describe(figures)}`);
  }
  return samples;
}

/** Waits until the connections that nobody uses are closed. */
async function calm(subject: ServiceUnderTest, upstream: ScriptedUpstream): Promise<Measurements> {
  const deadline = performance.now() + CALM_MS;
  for (;;) {
    const figures = await subject.measure(true);
    const open = Math.max(figures.sockets, upstream.openSockets());
    if (open === 0 || performance.now() > deadline) return { ...figures, sockets: open };
    await pause(500);
  }
}

function judge(before: Measurements, after: Measurements, samples: readonly Measurements[]): void {
  const half = Math.ceil(samples.length / 2);
  const heap = samples.map(({ heapBytes }) => heapBytes);
  checks.noGrowth(
    'heap after collection',
    median(heap.slice(0, half)),
    median(heap.slice(-half)),
    HEAP_TOLERANCE_BYTES,
  );
  checks.expect('no connection is left', after.sockets === 0, `${after.sockets}`);
  checks.noGrowth('listeners', before.listeners, after.listeners, 0);
  for (const name of ['sockets', 'timers', 'signals'] as const) {
    checks.noGrowth(
      `live objects: ${name}`,
      before.objects?.[name] ?? 0,
      after.objects?.[name] ?? Infinity,
      STRAY_OBJECTS,
    );
  }
  checks.expect('no warning', after.warnings.length === 0, after.warnings.join(', '));
}

async function checkResponses(subject: ServiceUnderTest, seen: ReadonlyMap<string, number>): Promise<void> {
  say([...seen].map(([name, count]) => `${name}: ${count}`).join('; '));
  const known = /^(-1|200 .*|404 shipping-not-found|500 .*|50[234] .*|hostile query (400|503))$/;
  const odd = [...seen.keys()].filter((name) => !known.test(name) || /internal|no problem|nothing/.test(name));
  checks.expect('every response is one of those specified', odd.length === 0, odd.join('; '));
  const wanted = [
    '200 complete',
    '404 shipping-not-found',
    '200 circuit-open',
    '500 upstream-timeout',
    '502 bad-reply',
    'hostile query 400',
    '-1',
  ];
  const missing = wanted.filter((name) => !seen.has(name));
  checks.expect('every kind of traffic took part', missing.length === 0, missing.join('; '));
  const { inFlight, waiting } = await subject.callState();
  checks.expect('no call is in flight or waits', inFlight + waiting === 0, `${inFlight} and ${waiting}`);
  checks.expect(
    'the process lives and has nothing to complain of',
    subject.alive && subject.complaints === '',
    subject.complaints,
  );
}

function describe({ heapBytes, sockets, listeners, objects }: Measurements): string {
  const live = Object.entries(objects ?? {}).map(([name, count]) => `${name} ${count}`);
  return `${(heapBytes / 1024 / 1024).toFixed(2)} MiB, connections ${sockets}, listeners ${listeners}, live ${live.join(', ')}`;
}

main()
  .catch((error: unknown) => {
    checks.expect('the soak itself', false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  })
  .finally(() => {
    checks.conclude();
    // Children end with their channel to this process.
    process.exit();
  });
