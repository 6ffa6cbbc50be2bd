import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../../test/faults/support/service-process';
import { freePort } from '../../test/support/free-port';
import { validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { checkNone, checkThat, runProgram, say } from '../checks';
import { summary } from '../load';
import { conditions, publish, tableOf } from '../report';
import { calm, compareGrowth, type Metrics, metricsOf } from './growth';
import { observe, RATE } from './observation';
import { HEAP, type Scenario, SCENARIOS, SETTINGS, type Stage } from './scenarios';

/**
 * Plays faults of the external system against the built service under steady load, and checks every response. They are
 * repeated on one process for `--minutes N` (10 by default, half a minute with `--short`), whose memory, connections and
 * timers must not grow. Writes its table into docs/performance.md, but for `--short`. Exits with 1 where one fails.
 */

const PROBE = join(__dirname, '../probe.js');

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, minutes: { type: 'string' } },
});
const rows: string[][] = [];

async function main(): Promise<void> {
  const minutes = Number(options.minutes ?? (options.short ? 0.5 : 10));
  if (!(minutes > 0 && minutes <= 600)) throw new Error('--minutes must be a number from 0 to 600');
  await onService((stage) => repeat(stage, minutes));
  const head = ['what is done: what must hold', 'slowest', 'slowest probe', 'complete after'];
  const table = `${conditions('npm run proof')} ${RATE} requests a second of other clients.\n\n${tableOf(head, rows)}`;
  say(`\n${table}`);
  if (!options.short) publish('proof', table);
}

/** Starts the service with the external system, and checks how it ends. */
async function onService(use: (stage: Stage) => Promise<unknown>): Promise<void> {
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith(validResponse);
  const port = String(await freePort());
  const env = { ...SETTINGS, EXTERNAL_SHIPPING_BASE_URL: upstream.url, MANAGEMENT_PORT: port };
  const nodeArguments = ['--expose-gc', HEAP];
  const service = await ServiceProcess.start(env, { entry: 'dist/main.js', preload: [PROBE], nodeArguments });
  service.discardLog();
  const stage: Stage = { upstream, service, management: `http://127.0.0.1:${port}` };
  try {
    await use(stage);
    service.signal('SIGTERM');
    const exit = await Promise.race([service.ended, pause(25_000, undefined, { ref: false })]);
    const { stderr } = service;
    checkThat(
      'the service ends with 0, without an error',
      exit?.code === 0 && stderr === '',
      `${exit?.code} ${stderr}`,
    );
  } finally {
    await service.kill();
    await stage.upstream.close();
  }
}

/** Plays a scenario, checks it, and returns its row of the table. */
async function play(scenario: Scenario, stage: Stage): Promise<string[]> {
  const { done, holds } = scenario;
  const seen = await observe(scenario, stage);
  checkNone(`${done}: ${holds}`, seen.broken);
  say(summary(seen.outcomes));
  const times = [seen.slowestMs, seen.slowestProbeMs, seen.recoveryMs].map((ms) => `${Math.round(ms)} ms`);
  return [`${done}: ${holds}`, ...times];
}

async function repeat(stage: Stage, minutes: number): Promise<void> {
  const playAll = async (): Promise<string[][]> => {
    const played: string[][] = [];
    for (const scenario of SCENARIOS) played.push(await play(scenario, stage));
    return played;
  };
  // The code that V8 compiles in the first rounds is no growth.
  await playAll();
  rows.push(...(await playAll()));
  const before = await calm(stage);
  const samples: Metrics[] = [];
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    await playAll();
    samples.push(await metricsOf(stage.service));
    say(`sample ${samples.length}: ${JSON.stringify(samples.at(-1))}`);
  }
  compareGrowth(before, await calm(stage), samples);
}

void runProgram(main);
