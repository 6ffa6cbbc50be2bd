import { parseArgs } from 'node:util';
import { say } from '../checks';
import { line, publish, table } from './report';
import { brokenPromises } from './promises';
import type { Scenario } from './scenario';
import { SCENARIOS } from './scenarios';
import { Trial, type Observation } from './trial';

/**
 * Plays every fault of the external system, and attacks on the bounds of the process, against the built service under
 * steady load and checks what is promised of each. The full form writes its table into docs/resilience.md. `--short` plays one
 * scenario of each kind and allows for the lag of the machine; where a promise is broken all the same, it plays that
 * scenario again at its end. Exits 1 where a promise is broken.
 */

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
});

async function main(): Promise<void> {
  const { short, only } = options;
  const chosen = SCENARIOS.filter((each) => (!short || each.short) && (only === undefined || each.name.includes(only)));
  if (chosen.length === 0) throw new Error(`No scenario has ${String(only)} in its name`);
  const observations: Observation[] = [];
  let failed = await playAll(chosen, observations);
  if (short && failed.length > 0) {
    say('once more: a broken promise is broken again, a busy neighbour may have ended');
    failed = await playAll(failed, observations);
  }
  const report = table(observations, short ? 'npm run proof -- --short' : 'npm run proof');
  say(`\n${report}\n`);
  if (!short && only === undefined) publish(report);
  say(`${chosen.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** @returns the scenarios in which a promise was broken */
async function playAll(scenarios: readonly Scenario[], observations: Observation[]): Promise<Scenario[]> {
  const failed: Scenario[] = [];
  for (const scenario of scenarios) {
    const observation = await play(scenario);
    observations.push(observation);
    const broken = brokenPromises(observation, options.short ? 'relative' : 'absolute');
    if (broken.length > 0) failed.push(scenario);
    say(line(observation, broken));
  }
  return failed;
}

/** Each fault meets a service of its own, so that no fault shows the traces of another; the soak mixes them. */
async function play(scenario: Scenario): Promise<Observation> {
  const trial = await Trial.start(scenario);
  let code: number | null = null;
  try {
    const observation = await trial.play(scenario);
    code = await trial.stop();
    const leftovers = code === 0 ? [] : [`it ended with ${String(code)}`];
    return { ...observation, leftovers: [...observation.leftovers, ...leftovers] };
  } finally {
    if (code === null) await trial.stop();
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  say('0 passed, 1 failed');
  // Children end with their channel to this process.
  process.exit(1);
});
