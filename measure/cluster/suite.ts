import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port';
import { resetsBeforeHeaders } from '../../testing/upstream/connection-faults';
import { delayed, soundReply } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { Checks, runProgram, say, temporaryFolder, until } from '../checks';
import { Load, type Outcome, summary } from '../load';
import { ServerProcess } from '../server-process';

/**
 * Runs three replicas of the built service behind nginx with the deployed configuration, and checks every response
 * under steady load. Exits with 1 where a response is not allowed.
 */

interface Cluster {
  readonly upstream: ScriptedUpstream;
  readonly replicas: readonly ServerProcess[];
  readonly balancer: ServerProcess;
}

interface Scenario {
  readonly done: string;
  readonly holds: string;
  readonly play: (cluster: Cluster) => Promise<void>;
  /** Whether a response that is not a complete 200 is allowed. */
  readonly allows?: (outcome: Outcome) => boolean;
}

const DEPLOY = join(__dirname, '../../deploy/nginx');
/** Debian installs nginx (`apt-get install -y nginx-light`) in a folder that is not in the PATH of every user. */
const NGINX = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';
/**
 * Longer deadlines than by default: this program is the external system, and responds late where the machine is busy.
 */
const SETTINGS = { EXTERNAL_SHIPPING_TIMEOUT_MS: '7000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '5000' };
const DEPLOYED = { TRUST_PROXY: 'loopback', MANAGEMENT_PORT: '0' };
const READY_AT = '/api/Shipping/GetShippingInfoById/SHP-1';
const RATE = 60;
const RECOVERY_MS = 60_000;

const SCENARIOS: readonly Scenario[] = [
  {
    done: 'all replicas are replaced, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const replica of cluster.replicas) {
        const code = await replica.stop();
        checks.expect(`${replica.name} ends with 0`, code === 0, String(code));
        await startAgain(cluster, replica);
      }
    },
  },
  {
    done: 'a replica is killed, and started again after three seconds',
    holds: 'no failed response',
    play: async (cluster) => {
      const [replica] = cluster.replicas as [ServerProcess];
      await replica.stop('SIGKILL');
      await pause(3000);
      await startAgain(cluster, replica);
    },
  },
  {
    done: 'a replica is overloaded for three seconds',
    holds: 'no failed response: other replicas get its requests',
    play: async ({ upstream, replicas, balancer }) => {
      upstream.respondWith((call) =>
        call.params.get('OrderId') === 'HELD' ? delayed(3000, soundReply(call)) : soundReply(call),
      );
      const [, , small] = replicas as [ServerProcess, ServerProcess, ServerProcess];
      const held = [1, 2].map(() => fetch(`${small.url}/api/Shipping/GetShippingDetails?OrderId=HELD`));
      await Promise.all(held.map(async (sent) => (await sent).arrayBuffer()));
      checks.expect('nginx has retried its requests', balancer.output.includes('"replicaStatus":"502, 200"'), 'none');
    },
  },
  {
    done: 'one operation of the external system fails',
    holds: 'no replica is taken out: strict clients of that operation get 503 from the service, nobody else does',
    allows: ({ path, strict, status, what }) =>
      path.includes('Details') && status === (strict ? 503 : 200) && /^(upstream|circuit)-/.test(what),
    play: async ({ upstream }) => {
      upstream.respondWith((call) => (call.path.endsWith('details') ? resetsBeforeHeaders() : soundReply(call)));
      await pause(3000);
    },
  },
];

const checks = new Checks();

async function main(): Promise<void> {
  const cluster = await startCluster(temporaryFolder('shipping-cluster'));
  try {
    for (const scenario of SCENARIOS) await play(scenario, cluster);
    for (const [path, expected] of Object.entries({ '/health/live': 204, '/health/ready': 404, '/metrics': 404 })) {
      const { status } = await fetch(cluster.balancer.url + path);
      checks.expect(`${path} of the balancer is ${expected}`, status === expected, String(status));
    }
    for (const { name, output } of [cluster.balancer, ...cluster.replicas]) {
      const found = /SearchTerm|TrackingNumber|ORD-|TRK-/.exec(output)?.[0];
      checks.expect(`${name} logs nothing that clients sent`, found === undefined && output !== '', found ?? 'empty');
    }
  } finally {
    await cluster.balancer.stop('SIGQUIT');
    await Promise.all(cluster.replicas.map((replica) => replica.stop()));
    await cluster.upstream.close();
  }
}

async function startCluster(folder: string): Promise<Cluster> {
  const upstream = await ScriptedUpstream.start();
  upstream.respondWith(soundReply);
  const replicas: ServerProcess[] = [];
  for (const name of ['service-1', 'service-2', 'service-3']) {
    // The last replica refuses a request while it has another in progress: one of the scenarios needs refusals.
    const bound = name === 'service-3' && { MAX_ACTIVE_REQUESTS: '1' };
    const env = { ...SETTINGS, ...DEPLOYED, ...bound, EXTERNAL_SHIPPING_BASE_URL: upstream.url };
    replicas.push(await ServerProcess.start({ name, entry: 'dist/main.js', env, readyAt: READY_AT }));
  }
  return { upstream, replicas, balancer: await startBalancer(folder, replicas) };
}

/** Starts nginx with the deployed configuration; only the two files with addresses differ. */
async function startBalancer(folder: string, replicas: readonly ServerProcess[]): Promise<ServerProcess> {
  const port = await freePort();
  const [, options = ''] = /^server \S+( .*;)$/m.exec(readFileSync(join(DEPLOY, 'replicas.conf'), 'utf8')) ?? [];
  const servers = replicas.map(({ url }) => `server ${new URL(url).host}${options}\n`);
  writeFileSync(join(folder, 'nginx.conf'), readFileSync(join(DEPLOY, 'nginx.conf')));
  writeFileSync(join(folder, 'listen.conf'), `listen 127.0.0.1:${port};\n`);
  writeFileSync(join(folder, 'replicas.conf'), servers.join(''));
  // Workers of an nginx that root starts run as another user, who may not read the temporary folder.
  const directives = `daemon off;${process.getuid?.() === 0 ? ' user root;' : ''}`;
  const entry = [NGINX, '-p', `${folder}/`, '-e', 'stderr', '-c', 'nginx.conf', '-g', directives] as const;
  return ServerProcess.start({ name: 'balancer', entry, port, readyAt: READY_AT });
}

/** Plays a scenario under load that begins before it and ends after it, and checks all responses. */
async function play({ done, holds, allows, play: happen }: Scenario, cluster: Cluster): Promise<void> {
  say(`\n${done}: ${holds}`);
  const load = new Load(cluster.balancer.url, { ratePerSecond: RATE });
  load.start();
  try {
    await pause(1000);
    await happen(cluster);
  } finally {
    await load.stop();
  }
  const isComplete = ({ status, what }: Outcome): boolean => status === 200 && what === 'complete';
  const failed = load.outcomes.filter((outcome) => !isComplete(outcome) && allows?.(outcome) !== true);
  const isRight = failed.length === 0 && load.outcomes.length >= RATE;
  checks.expect(`all responses are as they must be: ${summary(load.outcomes)}`, isRight, summary(failed));
}

/** Starts a replica again, and waits until nginx has logged five of its responses. */
async function startAgain({ balancer }: Cluster, replica: ServerProcess): Promise<void> {
  const served = (): number => balancer.output.split(`${new URL(replica.url).host}","replicaStatus":"200"`).length;
  const before = served();
  await replica.startAgain();
  const takesPart = await until(() => served() >= before + 5, RECOVERY_MS, 100);
  checks.expect(`${replica.name} takes part again`, takesPart, `not within ${RECOVERY_MS} ms`);
}

void runProgram(checks, main);
