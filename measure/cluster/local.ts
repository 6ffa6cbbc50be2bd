import { say } from '../checks';
import { Cluster } from './cluster';

/**
 * Runs what deploy/compose.yaml describes without containers, until SIGINT or SIGTERM. Exits 1 where it cannot start,
 * saying what is missing.
 */
async function main(): Promise<void> {
  // Before anything starts: who stops waiting meanwhile gets everything stopped, too.
  const stopped = untilStopped();
  say('Starting the sandbox, Redis, three replicas and nginx …');
  const cluster = await Cluster.start();
  say(`\nThe service   ${cluster.url}/ (nginx)`);
  for (const { name, url } of [...cluster.replicas, cluster.redis, cluster.sandbox]) say(`${name.padEnd(13)} ${url}`);
  say('\nLogs');
  for (const { name, log } of cluster.members) say(`${name.padEnd(13)} ${log}`);
  say(`\nTry: curl -i '${cluster.url}/api/Shipping/GetShippingPagedList?PageSize=1'\nCtrl-C stops everything.`);
  await stopped;
  say('Stopping …');
  await cluster.stop();
  say('Stopped.');
}

/** npm dies of SIGTERM without handing it on: then its going is the signal. */
function untilStopped(): Promise<void> {
  const { ppid } = process;
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    if (process.env.npm_lifecycle_event === undefined) return;
    const watch = setInterval(() => {
      if (process.ppid !== ppid) stop();
    }, 500);
    watch.unref();
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
