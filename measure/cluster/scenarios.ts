import { setTimeout as pause } from 'node:timers/promises';
import { type Outcome, Load, type Question } from '../proof/load';
import { send } from '../../test/support/http-client';
import type { ServerProcess } from '../server-process';
import type { Cluster } from './cluster';
import { at, OPERATIONS, recovers, type Stage } from './stage';

export interface Scenario {
  readonly name: string;
  readonly play: (stage: Stage) => Promise<void>;
}

const RATE = 60;
const CALM_MS = 1000;

/** Pages that nobody else has asked for. */
let pages = 0;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'all replicas take part', play: allTakePart },
  { name: 'the balancer hands on what it gets', play: handsOn },
  { name: 'a replica is killed', play: killed },
  { name: 'a replica drains', play: drained },
  { name: 'a replica hangs for three seconds and then sheds load', play: hung },
  { name: 'Redis is killed and comes back', play: redisKilled },
  { name: 'Redis hangs', play: redisHangs },
  { name: 'all replicas are replaced, one after the other', play: rollingRestart },
  { name: 'the external system fails for strict clients', play: strictOutage },
  { name: 'no replica is left', play: nobodyLeft },
];

async function allTakePart(stage: Stage): Promise<void> {
  const { cluster, checks } = stage;
  const outcomes = await staysComplete(stage, () => pause(CALM_MS));
  for (const { name, url } of cluster.replicas) {
    const share = servedBy(cluster, url) / outcomes.length;
    checks.expect(`${name} has its share of the requests`, share > 0.1, share.toFixed(2));
  }
}

async function handsOn({ cluster: { url }, checks }: Stage): Promise<void> {
  const path = `${OPERATIONS}/GetShippingDetails?OrderId=ORD-000001`;
  const first = await send(url, path, { headers: { 'X-Request-Id': 'CLUSTER-1' } });
  checks.expect('the request id', first.headers['x-request-id'] === 'CLUSTER-1', String(first.headers['x-request-id']));
  const again = await send(url, path, { headers: { 'If-None-Match': String(first.headers.etag) } });
  checks.expect('304 where the ETag is known, whichever replica is asked', again.status === 304, String(again.status));
  const strict = await send(url, `${path}&Unknown=1`, { headers: { Prefer: 'handling=strict' } });
  checks.expect('preferences', strict.status === 400 && strict.headers['preference-applied'] === 'handling=strict', strict.body); // prettier-ignore
  const head = await send(url, path, { method: 'HEAD' });
  checks.expect('HEAD', head.status === 200 && head.body === '', `${head.status} ${head.body}`);
  const post = await send(url, path, { method: 'POST', body: '{}' });
  checks.expect('405 to what is no read', post.status === 405, String(post.status));
  // Two links with all of it: longer than the usual buffer for headers.
  const long = await send(url, `${OPERATIONS}/GetShippingPagedList?PageSize=1&x=${'x'.repeat(2_500)}`);
  checks.expect('long headers', long.status === 200 && String(long.headers.link).length > 7_000, String(long.status));
  const metrics = await send(url, '/METRICS');
  checks.expect('figures of one replica stay there', metrics.status === 404, String(metrics.status));
}

async function killed(stage: Stage): Promise<void> {
  const replica = member(stage, 0);
  await staysComplete(stage, async () => {
    await replica.stop('SIGKILL');
    await pause(3 * CALM_MS);
    await replica.startAgain();
    await takesPartAgain(stage, replica);
  });
}

async function drained(stage: Stage): Promise<void> {
  const replica = member(stage, 1);
  await staysComplete(stage, async () => {
    const code = await replica.stop();
    // Another code where it had to break off.
    stage.checks.expect('it ends with 0', code === 0, String(code));
    await pause(CALM_MS);
    await replica.startAgain();
    await takesPartAgain(stage, replica);
  });
}

async function hung(stage: Stage): Promise<void> {
  const replica = member(stage, 2);
  await staysComplete(stage, async () => {
    replica.signal('SIGSTOP');
    await pause(3 * CALM_MS);
    replica.signal('SIGCONT');
    await takesPartAgain(stage, replica);
  });
}

async function redisKilled(stage: Stage): Promise<void> {
  const { redis } = stage.cluster;
  await staysComplete(stage, async () => {
    await redis.stop('SIGKILL');
    await pause(3 * CALM_MS);
    await redis.startAgain();
    await hitsAreSharedAgain(stage);
  });
}

async function redisHangs(stage: Stage): Promise<void> {
  const { redis } = stage.cluster;
  await staysComplete(stage, async () => {
    redis.signal('SIGSTOP');
    await pause(3 * CALM_MS);
    redis.signal('SIGCONT');
    await hitsAreSharedAgain(stage);
  });
}

async function rollingRestart(stage: Stage): Promise<void> {
  const codes: (number | null)[] = [];
  await staysComplete(stage, async () => {
    for (const replica of stage.cluster.replicas) {
      codes.push(await replica.stop());
      await replica.startAgain();
      await takesPartAgain(stage, replica);
    }
  });
  stage.checks.expect('each ends with 0', codes.every((code) => code === 0), codes.join()); // prettier-ignore
}

/** Strict clients get 503, which takes no replica out; other clients get the specified lists. */
async function strictOutage({ cluster, questions, checks }: Stage): Promise<void> {
  const lists = questions.filter(({ kind }) => kind === 'list');
  const failing = (number: number): Question => ({
    kind: 'list',
    path: `${OPERATIONS}/GetShippingDetails?SearchTerm=SIMULATE-RESET&Limit=${number + 1}`,
    strict: true,
  });
  const ask = (number: number): Question => (number % 2 === 0 ? failing(number) : at(lists, number >> 1));
  const load = new Load(cluster.url, {
    ratePerSecond: RATE,
    ask: (number) => ({ ...ask(number), isRight: undefined }),
  });
  load.start();
  await pause(3 * CALM_MS);
  await load.stop();
  const strict = load.outcomes.filter((outcome) => outcome.strict);
  const others = load.outcomes.filter((outcome) => !outcome.strict);
  checks.expect('strict clients get 503', strict.some(({ status }) => status === 503), summary(strict)); // prettier-ignore
  checks.expect('nobody else is told that replicas are missing', others.every(({ status }) => status === 200), summary(others)); // prettier-ignore
  checks.expect('nor are they', strict.every(({ what }) => what !== 'no-replica'), summary(strict)); // prettier-ignore
  await recovers(checks, 'complete responses are back', async () => {
    const responses = await Promise.all(cluster.replicas.map(({ url }) => send(url, at(lists, 0).path)));
    return responses.every(({ headers }) => headers['shipping-completeness'] === 'complete');
  });
}

async function nobodyLeft({ cluster, checks, questions }: Stage): Promise<void> {
  const { path } = at(questions, 0);
  await Promise.all(cluster.replicas.map((replica) => replica.stop()));
  for (const prefer of ['handling=lenient', 'handling=strict']) {
    const response = await send(cluster.url, `${path}&x="`, { headers: { Prefer: prefer }, notOurs: true });
    const told = `${response.status} ${String(response.headers['content-type'])} ${String(response.headers['retry-after'])}`;
    checks.expect('503 as a problem, with Retry-After', told === '503 application/problem+json 1', told);
    const { code, requestId } = response.json() as Record<string, unknown>;
    checks.expect(
      'which says so',
      code === 'no-replica' && requestId === response.headers['x-request-id'],
      response.body,
    );
  }
  await Promise.all(cluster.replicas.map((replica) => replica.startAgain()));
  await recovers(
    checks,
    'it responds when they are back',
    async () => (await send(cluster.url, path, { notOurs: true })).status === 200,
  );
}

/** The outcomes of steady traffic from before what happens to its end: every response is complete and right. */
async function staysComplete(
  { cluster, questions, checks }: Stage,
  happening: () => Promise<void>,
): Promise<readonly Outcome[]> {
  const load = new Load(cluster.url, { ratePerSecond: RATE, ask: (number) => at(questions, number) });
  load.start();
  try {
    await pause(CALM_MS);
    await happening();
  } finally {
    await load.stop();
  }
  const { outcomes } = load;
  const failed = outcomes.filter(({ status, what }) => status !== 200 || what !== 'complete');
  const slowest = Math.max(...outcomes.map(({ sentAt, endedAt }) => endedAt - sentAt));
  const asked = outcomes.length >= RATE;
  const name = `all of ${outcomes.length} responses are complete, the slowest in ${Math.round(slowest)} ms`;
  checks.expect(name, asked && failed.length === 0, asked ? summary(failed) : 'too few');
  return outcomes;
}

/** Waits until nginx has sent a replica requests that it has served. */
async function takesPartAgain({ cluster, checks }: Stage, { name, url }: ServerProcess): Promise<void> {
  const before = servedBy(cluster, url);
  await recovers(checks, `${name} takes part again`, () => Promise.resolve(servedBy(cluster, url) > before + 5));
}

/** How many requests a replica has served by the log of nginx, as the last one that was tried. */
function servedBy({ balancer }: Cluster, url: string): number {
  const { host } = new URL(url);
  return balancer.output.split('\n').filter((line) => line.includes(`${host}","replicaStatus"`) && line.includes('200","replicaSeconds')).length; // prettier-ignore
}

/** What one replica has asked, another knows; asked anew until it is so, because Redis has been away. */
async function hitsAreSharedAgain({ cluster, checks }: Stage): Promise<void> {
  const [first, second] = [at(cluster.replicas, 0), at(cluster.replicas, 1)];
  await recovers(checks, 'hits are shared again', async () => {
    pages += 1;
    const path = `${OPERATIONS}/GetShippingPagedList?PageNumber=${pages}&PageSize=7`;
    const asked = await send(first.url, path);
    await pause(50);
    const known = await send(second.url, path);
    return /; ?hit\b/.test(String(known.headers['cache-status'])) && known.body === asked.body;
  });
}

function summary(outcomes: readonly Outcome[]): string {
  const kinds = new Map<string, number>();
  for (const { status, what } of outcomes) {
    const kind = `${status} ${what}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].map(([kind, count]) => `${count} × ${kind}`).join('; ');
}

function member({ cluster }: Stage, index: number): ServerProcess {
  return at(cluster.replicas, index);
}
