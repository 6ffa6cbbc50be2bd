import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ExternalPage, pagePath, toPage } from '../bench/servers/mapping';
import { Checks, runProgram } from '../checks';
import { Load, type Question, summary } from '../load';
import { freePort, ServerProcess } from '../server-process';

/**
 * Three replicas of the built service behind nginx, by the configuration that is deployed, with the sandbox as the external
 * system: every response under steady load is checked. Exits 1 where one is not as promised; the last line counts.
 */

interface Cluster {
  readonly sandbox: ServerProcess;
  readonly replicas: readonly ServerProcess[];
  readonly balancer: ServerProcess;
}

interface Scenario {
  readonly done: string;
  readonly holds: string;
  readonly play: (cluster: Cluster) => Promise<void>;
  /** Also sent, in turn with pages. */
  readonly alsoAsk?: (number: number) => Question;
}

const DEPLOY = join(__dirname, '../../deploy/nginx');
/** Where Debian keeps it is not on everybody's path: apt-get install -y nginx-light */
const NGINX = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';
/** A busy machine is no external system that is late. */
const SETTINGS = { EXTERNAL_SHIPPING_TIMEOUT_MS: '7000', EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '5000' };
const READY_AT = '/api/Shipping/GetShippingDetails?Limit=1';
const OUTAGE = '/api/Shipping/GetShippingDetails?SearchTerm=SIMULATE-RESET&Limit=';
const RATE = 60;
const PAGES = 40;
const RECOVERY_MS = 60_000;

const SCENARIOS: readonly Scenario[] = [
  {
    done: 'all replicas are replaced, one after the other',
    holds: 'no failed response, each ends with 0',
    play: async (cluster) => {
      for (const replica of cluster.replicas) {
        const code = await replica.stop();
        checks.expect(`${replica.name} ends with 0`, code === 0, String(code));
        await replica.startAgain();
        await takesPartAgain(cluster, replica);
      }
    },
  },
  {
    done: 'a replica is killed, and started again after three seconds',
    holds: 'no failed response',
    play: async (cluster) => {
      const [replica] = cluster.replicas;
      await replica?.stop('SIGKILL');
      await pause(3000);
      await replica?.startAgain();
      if (replica !== undefined) await takesPartAgain(cluster, replica);
    },
  },
  {
    done: 'an operation of the external system fails for strict clients',
    holds: 'they get 503 from the service, no replica is taken out: no failed response of other clients',
    alsoAsk: (number) => ({ path: `${OUTAGE}${number + 1}`, strict: true }),
    play: () => pause(3000),
  },
];

const checks = new Checks();

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shipping-cluster-'));
  const cluster = await startCluster(folder);
  try {
    const questions = await prepareQuestions(cluster.sandbox.url);
    for (const scenario of SCENARIOS) await play(scenario, cluster, questions);
    for (const { name, output } of [cluster.balancer, ...cluster.replicas]) {
      const found = /SearchTerm|SIMULATE|PageNumber=/.exec(output)?.[0];
      checks.expect(`${name} logs nothing that clients sent`, found === undefined && output !== '', found ?? 'empty');
    }
  } finally {
    await cluster.balancer.stop('SIGQUIT');
    await Promise.all([...cluster.replicas, cluster.sandbox].map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startCluster(folder: string): Promise<Cluster> {
  const sandboxPort = await freePort();
  const sandbox = await ServerProcess.start({
    name: 'sandbox',
    entry: 'dist/sandbox/sandbox.process.js',
    port: sandboxPort,
    env: { SANDBOX_PORT: String(sandboxPort) },
    readyAt: '/shippings/details?Limit=1',
  });
  const replicas: ServerProcess[] = [];
  for (const name of ['service-1', 'service-2', 'service-3']) {
    const env = { ...SETTINGS, EXTERNAL_SHIPPING_BASE_URL: sandbox.url, TRUST_PROXY: 'loopback' };
    replicas.push(await ServerProcess.start({ name, entry: 'dist/main.js', env, readyAt: READY_AT }));
  }
  return { sandbox, replicas, balancer: await startBalancer(folder, replicas) };
}

/** nginx by the configuration that is deployed, byte for byte; only the two files with addresses differ. */
async function startBalancer(folder: string, replicas: readonly ServerProcess[]): Promise<ServerProcess> {
  const port = await freePort();
  const [, options = ''] = /^server \S+( .*;)$/m.exec(readFileSync(join(DEPLOY, 'replicas.conf'), 'utf8')) ?? [];
  const servers = replicas.map(({ url }) => `server ${new URL(url).host}${options}\n`);
  writeFileSync(join(folder, 'nginx.conf'), readFileSync(join(DEPLOY, 'nginx.conf')));
  writeFileSync(join(folder, 'listen.conf'), `listen 127.0.0.1:${port};\n`);
  writeFileSync(join(folder, 'replicas.conf'), servers.join(''));
  // Workers of root would run as another user, to whom the folder is closed.
  const directives = `daemon off;${process.getuid?.() === 0 ? ' user root;' : ''}`;
  return ServerProcess.start({
    name: 'balancer',
    entry: [NGINX, '-p', `${folder}/`, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', directives],
    port,
    readyAt: READY_AT,
  });
}

/** Pages, each with the only right response: made from what the sandbox sends by none of the service's own code. */
async function prepareQuestions(sandbox: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (let PageNumber = 1; PageNumber <= PAGES; PageNumber += 1) {
    const response = await fetch(sandbox + pagePath({ PageNumber }));
    const body = JSON.stringify(toPage((await response.json()) as ExternalPage));
    questions.push({ path: `/api/Shipping/GetShippingPagedList?PageNumber=${PageNumber}`, body });
  }
  return questions;
}

/** Steady traffic from before what happens to its end. */
async function play(scenario: Scenario, cluster: Cluster, questions: readonly Question[]): Promise<void> {
  checks.section(`${scenario.done}: ${scenario.holds}`);
  const page = (number: number): Question => questions[number % PAGES] ?? { path: READY_AT };
  const also = scenario.alsoAsk ?? page;
  const ask = (number: number): Question => (number % 2 === 0 ? page(number >> 1) : also(number));
  const load = new Load(cluster.balancer.url, { ratePerSecond: RATE, ask });
  load.start();
  try {
    await pause(1000);
    await scenario.play(cluster);
  } finally {
    await load.stop();
  }
  const [strict, others] = [true, false].map((isStrict) =>
    load.outcomes.filter((each) => (each.strict ?? false) === isStrict),
  );
  const failed = (others ?? []).filter(({ status, what }) => status !== 200 || what !== 'complete');
  const isRight = failed.length === 0 && (others ?? []).length >= RATE / 2;
  checks.expect(`all ${others?.length} responses are complete and right`, isRight, summary(failed));
  const odd = (strict ?? []).filter(({ status, what }) => status !== 503 || what === 'no-replica');
  if (scenario.alsoAsk !== undefined)
    checks.expect(`all ${strict?.length} strict clients get 503`, odd.length === 0, summary(odd));
}

/** Waits until nginx has sent a replica requests that it has served. How soon depends on the machine. */
async function takesPartAgain({ balancer }: Cluster, { name, url }: ServerProcess): Promise<void> {
  // The replica that was tried last, by the log of nginx.
  const served = (): number => balancer.output.split(`${new URL(url).host}","replicaStatus":"200"`).length;
  const before = served();
  const deadline = performance.now() + RECOVERY_MS;
  while (served() < before + 5 && performance.now() < deadline) await pause(100);
  checks.expect(`${name} takes part again`, served() >= before + 5, `not within ${RECOVERY_MS} ms`);
}

void runProgram(checks, main);
