import { parseArgs } from 'node:util';
import { Checks, say } from '../checks';
import { Cluster } from './cluster';
import { prepareQuestions } from './questions';
import { SCENARIOS } from './scenarios';
import type { Stage } from './stage';

/**
 * Plays what befalls a cluster under steady load, on real processes, and checks every response. `--only part-of-a-name`
 * plays a selection. Exits 1 where anything is not as promised; the last line counts.
 */

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const checks = new Checks();

/** Short enough that hits and misses mix, and an open circuit is soon forgotten. */
const SETTINGS = {
  CACHE_TTL_MS: '5000',
  EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '500',
  // A busy machine is no external system that is late.
  EXTERNAL_SHIPPING_TIMEOUT_MS: '7000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '5000',
};

async function main(): Promise<void> {
  const cluster = await Cluster.start(SETTINGS);
  try {
    const stage: Stage = { cluster, questions: await prepareQuestions(cluster.sandbox.url), checks };
    for (const { name, play } of SCENARIOS.filter((scenario) => scenario.name.includes(options.only))) {
      const since = performance.now();
      checks.section(name);
      await play(stage);
      say(`${name}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
    }
    checks.section('logs');
    logsHoldNothing(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Nothing that clients sent, in whatever went wrong above. */
function logsHoldNothing({ balancer, replicas }: Cluster): void {
  for (const { name, output } of [balancer, ...replicas]) {
    const told = /SearchTerm|OrderId=|ORD-\d|SHP-\d|TrackingNumber|SIMULATE/.exec(output)?.[0];
    checks.expect(`${name} logs nothing that clients sent`, told === undefined && output !== '', told ?? 'empty');
  }
}

main()
  .catch((error: unknown) => {
    checks.expect('the suite itself', false, error instanceof Error ? (error.stack ?? error.message) : String(error));
  })
  .finally(() => {
    checks.conclude();
    process.exit();
  });
