import { parseArgs } from 'node:util';
import { line, publish, table } from './report';
import { brokenPromises } from './promises';
import type { Scenario } from './scenario';
import { SCENARIOS } from './scenarios';
import { Trial, type Observation } from './trial';

/**
 * Plays every fault of the external system, and attacks on the bounds of the process, against the built service under
 * steady load and checks what is promised of each. `--short` plays a selection; the full form writes its table into docs/resilience.md. Exits 1 where a promise is
 * broken.
 */

const { values: options } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' } },
});

async function main(): Promise<void> {
  const { short, only } = options;
  const chosen = SCENARIOS.filter((each) => (!short || each.short) && (only === undefined || each.name.includes(only)));
  const observations: Observation[] = [];
  let failed = 0;
  for (const scenario of chosen) {
    const observation = await play(scenario);
    observations.push(observation);
    if (brokenPromises(observation).length > 0) failed += 1;
    print(line(observation));
  }
  const report = table(observations, short ? 'npm run proof -- --short' : 'npm run proof');
  print(`\n${report}\n`);
  if (!short && only === undefined) publish(report);
  print(`${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
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

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  print('0 passed, 1 failed');
  // Children end with their channel to this process.
  process.exit(1);
});
