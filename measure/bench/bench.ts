import { parseArgs } from 'node:util';
import { paged } from './cases';
import { draw } from './charts';
import { type Check, FLOORS, TARGETS } from './checks';
import type { Curve } from './curves';
import { Field } from './field';
import { describeMachine } from './machine';
import { faultsOf, type Part } from './part';
import { FULL, SHORT } from './plan';
import { type Conditions, publish, report, save, verdict } from './report';
import { type Lane, type Pace, play, SERVERS } from './rounds';

/**
 * Measures the built service against three servers that do the same by other means, on one core, in interleaved rounds.
 * `--short` guards against a gross loss. The full form checks the targets and writes its table into the block of
 * docs/performance.md for this release line of Node, with `--charts` the pictures next to it too. Exits 1 where a bound
 * is missed, in the full form also where a response was not what it has to be.
 */

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    charts: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
  },
});

const { short, charts, only } = options;
const PLAN = short ? SHORT : FULL;
/** The table of each release line of Node has its own. */
const BLOCK = `bench-node-${process.versions.node.split('.', 1)[0]}`;
/** Until everything is compiled that is worth it. */
const FIRST_WARM_UP_SECONDS = short ? 5 : 7;

async function main(): Promise<void> {
  const chosen = only?.split(',') ?? [...PLAN.keys()];
  const unknown = chosen.filter((name) => !PLAN.has(name));
  if (unknown.length > 0) throw new Error(`No ${unknown.join(', ')}; there are ${[...PLAN.keys()].join(', ')}`);
  const pace = readPace();
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--'] : []), ...process.argv.slice(2)].join(' ');
  const conditions: Conditions = { command, machine: describeMachine(), pace };
  let failed = tell(await measure(chosen, pace), conditions);
  if (short && failed > 0) {
    progress('once more: a loss is there again, a busy neighbour may not be');
    failed = tell(await measure(chosen, pace), conditions);
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

async function measure(chosen: readonly string[], pace: Pace): Promise<ReadonlyMap<string, Part>> {
  const field = await Field.start(short ? ['service', 'hand-written'] : SERVERS);
  const parts = new Map<string, Part>();
  try {
    await warmUp(field);
    for (const [name, measurement] of PLAN) {
      if (!chosen.includes(name)) continue;
      progress(name);
      parts.set(name, await measurement({ field, pace, bounds: short ? FLOORS : TARGETS }));
    }
  } finally {
    await field.stop();
  }
  return parts;
}

/** Compiles what all cases share, before any of them is measured. */
async function warmUp(field: Field): Promise<void> {
  progress('warm-up');
  const lanes: Lane[] = [];
  for (const name of field.names) lanes.push(await field.lane(name, paged(10), 32));
  await play(lanes, { rounds: 0, seconds: 0, warmUpSeconds: FIRST_WARM_UP_SECONDS }, field.external);
}

/** @returns how many checks failed */
function tell(parts: ReadonlyMap<string, Part>, conditions: Conditions): number {
  const all = [...parts.values()];
  const text = report(parts, conditions);
  const faults = all.flatMap(faultsOf);
  const checks: Check[] = all.flatMap(({ rows }) => rows.flatMap((row) => row.checks));
  const missed = checks.filter(({ met }) => !met);
  save(parts, conditions);
  if (charts) draw(all.flatMap(({ figures }) => (figures?.curves ?? []) as Curve[]));
  if (!short && only === undefined && !publish(text, BLOCK)) progress(`docs/performance.md has no block ${BLOCK}`);
  print(`${text}\n`);
  for (const fault of faults) print(`WRONG RESPONSES: ${fault}`);
  for (const check of missed) print(`MISSED: ${verdict(check)}`);
  // The responses count as one check; not for the guard, because a service that is starved of its core sheds load.
  const failed = missed.length + (short || faults.length === 0 ? 0 : 1);
  print(`${checks.length + 1 - failed} passed, ${failed} failed`);
  return failed;
}

function readPace(): Pace {
  const rounds = Number(options.rounds ?? 5);
  const seconds = Number(options.seconds ?? (short ? 1.3 : 4));
  if (!(Number.isInteger(rounds) && rounds > 0 && seconds > 0))
    throw new Error('Rounds and seconds are positive numbers');
  return { rounds, seconds, warmUpSeconds: seconds / 2 };
}

/** Not part of the result. */
function progress(text: string): void {
  process.stderr.write(`${text} …\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  print('0 passed, 1 failed');
  process.exit(1);
});
