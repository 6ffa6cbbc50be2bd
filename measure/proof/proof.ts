import { parseArgs } from 'node:util';
import { freePort } from '../../test/support/free-port';
import { validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { checkEqual, checkNone, checkThat, runProgram, say, until } from '../checks';
import { summary } from '../load';
import { conditions, median, publish, tableOf } from '../report';
import { type Metrics, PROBE, ServerProcess } from '../server-process';
import { brokenRules, observe, RATE, slowest } from './observation';
import { HEAP, type Scenario, SCENARIOS, SETTINGS, type Stage } from './scenarios';

/**
 * Plays faults of the external system against the built service under steady load, and checks every response. They are
 * repeated on one process for `--minutes N` (10 by default, half a minute with `--short`), whose memory, connections and
 * timers must not grow. Writes its table into docs/performance.md, but for `--short`. Exits with 1 where one fails.
 */

const CALM_MS = 15_000;
/**
 * The growth of the heap that is taken for newly compiled code and garbage. A leak of a hundred bytes a request exceeds
 * this growth in minutes.
 */
const HEAP_TOLERANCE_BYTES = 1_048_576;

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, minutes: { type: 'string' } },
});

async function main(): Promise<void> {
  const minutes = Number(options.minutes ?? (options.short ? 0.5 : 10));
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes must be a number from 0 to 600');
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith(validResponse);
  const port = String(await freePort());
  const env = { ...SETTINGS, EXTERNAL_SHIPPING_BASE_URL: upstream.url, MANAGEMENT_PORT: port };
  const entry = [process.execPath, '--expose-gc', HEAP, ...PROBE, 'dist/main.js'] as const;
  const service = await ServerProcess.start({ name: 'service', entry, env, readyAt: '/health/ready' });
  const rows = await repeat({ upstream, service, management: `http://127.0.0.1:${port}` }, minutes);
  checkEqual('the service ends with 0', await service.stop(), 0);
  const head = ['what is done: what must hold', 'slowest', 'slowest probe', 'complete after'];
  const table = `${conditions('npm run proof')} ${RATE} requests a second of other clients.\n\n${tableOf(head, rows)}`;
  say(`\n${table}`);
  if (!options.short) publish('proof', table);
}

/** Plays a scenario, checks it, and returns its row of the table. */
async function play(scenario: Scenario, stage: Stage): Promise<string[]> {
  const { done, holds } = scenario;
  const seen = await observe(scenario, stage);
  checkNone(`${done}: ${holds}`, brokenRules(seen, scenario));
  say(summary(seen.outcomes));
  const times = [seen.slowestMs, slowest(seen.probes), seen.recoveryMs].map((ms) => `${Math.round(ms)} ms`);
  return [`${done}: ${holds}`, ...times];
}

/** Plays all scenarios again and again on one process, which must not grow. Resolves with the rows of the table. */
async function repeat(stage: Stage, minutes: number): Promise<string[][]> {
  const playAll = async (): Promise<string[][]> => {
    const played: string[][] = [];
    for (const scenario of SCENARIOS) played.push(await play(scenario, stage));
    stage.service.emptyLog();
    stage.upstream.calls = [];
    return played;
  };
  // The code that V8 compiles in the first rounds is no growth.
  await playAll();
  const rows = await playAll();
  const before = await calm(stage);
  const samples: Metrics[] = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    await playAll();
    samples.push(await stage.service.metrics());
    say(`sample ${samples.length}: ${JSON.stringify(samples.at(-1))}`);
  }
  compareGrowth(before, await calm(stage), samples);
  return rows;
}

/** Measures after a wait in which idle connections are closed: a connection that is still open then is a leak. */
async function calm({ service, upstream }: Stage): Promise<Metrics> {
  const connectionsOf = async (): Promise<number> =>
    Math.max((await service.metrics()).connections, upstream.openSockets());
  await until(async () => (await connectionsOf()) === 0, CALM_MS, 500);
  const metrics = { ...(await service.metrics()), connections: await connectionsOf() };
  say(`calm: ${JSON.stringify(metrics)}`);
  return metrics;
}

/** Checks that nothing has grown. */
function compareGrowth(before: Metrics, after: Metrics, samples: readonly Metrics[]): void {
  // V8 drops compiled code and compiles it again, so that single values differ by a megabyte.
  const heap = [before, ...samples, after].map(({ heapBytes }) => heapBytes);
  const half = Math.ceil(heap.length / 2);
  const growth = median(heap.slice(-half)) - median(heap.slice(0, half));
  checkThat(`the heap grows by ${growth} bytes`, growth <= HEAP_TOLERANCE_BYTES, `over ${HEAP_TOLERANCE_BYTES}`);
  checkEqual('no connection is left', after.connections, 0);
  checkThat('no timer is left', after.timers <= before.timers, `${before.timers} → ${after.timers}`);
  checkNone('no warning', after.warnings);
}

void runProgram(main);
