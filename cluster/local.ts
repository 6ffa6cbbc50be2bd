import { Cluster } from './cluster';

/**
 * Runs what deploy/compose.yaml describes without containers, until SIGINT or SIGTERM. Exits 1 where it cannot start,
 * saying what is missing.
 */
async function main(): Promise<void> {
  const stopped = new Promise((resolve) => {
    // Before anything starts: who stops waiting meanwhile gets everything stopped, too.
    process.on('SIGINT', resolve).on('SIGTERM', resolve);
  });
  print('Starting the sandbox, Redis, three replicas and nginx …');
  const cluster = await Cluster.start();
  print(`\nThe service   ${cluster.url}/ (nginx)`);
  for (const { name, url } of [...cluster.replicas, cluster.redis, cluster.sandbox]) print(`${name.padEnd(13)} ${url}`);
  print('\nLogs');
  for (const { name, log } of cluster.members) print(`${name.padEnd(13)} ${log}`);
  print(`\nTry: curl -i '${cluster.url}/api/Shipping/GetShippingPagedList?PageSize=1'\nCtrl-C stops everything.`);
  await stopped;
  print('Stopping …');
  await cluster.stop();
  print('Stopped.');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
