import { parseArgs } from 'node:util';
import { IDENTICAL, paged } from '../bench/cases';
import { atLeast } from '../bench/checks';
import { freePort, isReady, type Launch, ServerProcess } from '../server-process';
import { startExternalSystem } from '../bench/field';
import { SERVICE } from '../bench/service';
import { describeMachine, familyOf, findPinning, pin } from '../bench/machine';
import { faultsOf } from '../bench/part';
import { publish, verdict } from '../bench/report';
import { type Lane, type Measured, type Pace, play } from '../bench/rounds';
import type { ClusterMember } from './member';
import { findPrograms, startBalancer, startRedis } from './programs';

/**
 * Measures responses from the cache and, in the full form, one and two replicas behind nginx, in interleaved rounds on this
 * machine. The full form writes its table into docs/performance.md. Exits 1 where hits are not worth their while or, in the
 * full form, where any response was not what it has to be.
 */

const { values: options } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
const { short } = options;

const PACE: Pace = short ? { rounds: 3, seconds: 1.2, warmUpSeconds: 4 } : { rounds: 5, seconds: 4, warmUpSeconds: 5 };
const CONNECTIONS = 32;
const HITS_TIMES_UNCACHED = 1.5;
const KIND = paged(10);
/** Node 20 has no `reusePort`. */
const canReusePort = !process.version.startsWith('v20.');

/** The processes that take part. */
const started: (ServerProcess | ClusterMember)[] = [];

type Three<T> = readonly [T, T, T];

async function main(): Promise<void> {
  let failed = await measure();
  if (short && failed > 0) {
    progress('once more: a loss is there again, a busy neighbour may not be');
    failed = await measure();
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

/** @returns how many checks failed */
async function measure(): Promise<number> {
  const programs = findPrograms('nginx', 'redis-server');
  const pinning = findPinning();
  try {
    if (pinning !== null) pin(process.pid, pinning.others);
    const external = note(await startExternalSystem());
    const redis = note(await startRedis(programs['redis-server'], ['--save', '', '--appendonly', 'no']));
    const expected = KIND.responseTo(await (await fetch(external.url + KIND.externalPath)).text());
    const lane = laneMaker(expected);
    progress('cache');
    const cached = await measureCache(external, redis, lane);
    if (pinning !== null) for (const pid of [process.pid, external.pid, redis.pid]) pin(pid, pinning.all);
    if (short) return report(cached);
    progress('replicas');
    return report(cached, await measureReplicas(external, programs.nginx, lane));
  } finally {
    await Promise.all(started.splice(0).map((each) => each.stop()));
  }
}

type LaneMaker = (label: string, asked: ServerProcess, nextPath?: () => string) => Lane;

function laneMaker(expected: string): LaneMaker {
  const isRight = (body: string): boolean => body === expected;
  return (label, asked, nextPath = KIND.nextPath) => {
    const traffic = { nextPath, isRight, completeness: KIND.completeness, connections: CONNECTIONS };
    return { server: 'service', label, processes: [asked], traffic };
  };
}

/** What a core carries without a cache, with nothing but misses and with nothing but hits. */
async function measureCache(external: ServerProcess, redis: ClusterMember, lane: LaneMaker): Promise<Three<Measured>> {
  const cores = findPinning()?.server;
  const cache = { CACHE_TTL_MS: '3600000', REDIS_URL: redis.url.replace('http:', 'redis:') };
  const plain = await startService(external, { cores });
  const caching = await startService(external, { cores, env: cache });
  const lanes: Three<Lane> = [
    lane('no cache, a core of its own', plain),
    lane('cache on, every request a miss, the same', caching),
    lane('cache on, every request a hit, the same', caching, IDENTICAL.nextPath),
  ];
  return (await play(lanes, PACE, external)) as unknown as Three<Measured>;
}

/** Throughput of the whole machine with one replica and with two, behind nginx and on one port. */
async function measureReplicas(external: ServerProcess, nginx: string, lane: LaneMaker): Promise<readonly Measured[]> {
  const [first, second] = [await startService(external), await startService(external)];
  const behind = async (label: string, ...replicas: ServerProcess[]): Promise<Lane> => {
    const balancer = note(await startBalancer(nginx, replicas));
    const pids = { server: replicas.map(({ pid }) => pid), others: familyOf(balancer.pid) };
    return { ...lane(label, balancer.process), pids };
  };
  const lanes = [
    lane('one replica, requested directly', first),
    await behind('one replica behind nginx', first),
    await behind('two replicas behind nginx', first, second),
  ];
  if (canReusePort) {
    const processes = await startOnOnePort(external);
    lanes.push({ ...lane('two replicas on one port (`REUSE_PORT`)', processes[0]), processes });
  }
  return play(lanes, PACE, external);
}

/** Each is ready when its own probes say so: a probe on the shared port could reach the other one. */
async function startOnOnePort(external: ServerProcess): Promise<[ServerProcess, ServerProcess]> {
  const port = await freePort();
  const startOne = async (): Promise<ServerProcess> => {
    const managementPort = await freePort();
    const env = { REUSE_PORT: 'true', MANAGEMENT_PORT: String(managementPort) };
    const readyAt = (): Promise<boolean> => isReady(`http://127.0.0.1:${managementPort}/health/ready`);
    return startService(external, { port, env, readyAt });
  };
  return [await startOne(), await startOne()];
}

/** @returns how many checks failed */
function report(cached: Three<Measured>, replicas?: readonly Measured[]): number {
  const [plain, misses, hits] = cached;
  const check = atLeast(HITS_TIMES_UNCACHED, hits.ratioTo(plain), 'times what a core carries without a cache');
  const faults = faultsOf({ rows: [], lanes: [...cached, ...(replicas ?? [])] });
  const text = [
    ...conditions(),
    '',
    '| What | Requests per second | Replicas, µs per request | nginx, µs per request | 99th percentile |',
    '| --- | --- | --- | --- | --- |',
    ...[...cached, ...(replicas ?? [])].map(line),
    '',
    `- Hits: ${verdict(check)}. Misses: ${misses.ratioTo(plain).toFixed(2)} times.`,
    ...(replicas === undefined ? [] : comparisons(replicas)),
  ].join('\n');
  print(`${text}\n`);
  if (!short && !publish(text, 'cluster')) print('docs/performance.md has no block cluster');
  for (const fault of faults) print(`WRONG RESPONSES: ${fault}`);
  // Not for the short form: on a busy machine a service that is starved of its core sheds load.
  const results = [check.met, ...(short ? [] : [faults.length === 0])];
  const failed = results.filter((met) => !met).length;
  print(`${results.length - failed} passed, ${failed} failed`);
  return failed;
}

function comparisons(replicas: readonly Measured[]): string[] {
  const [direct, one, two, sharing] = replicas as readonly [Measured, Measured, Measured, Measured?];
  return [
    `- nginx in between: ${ratio(one, direct)} times the rate of one replica requested directly, on the same cores.`,
    `- Two replicas: ${ratio(two, one)} times the rate of one, at ${costRatio(two, one)} times the processor time per request.`,
    ...(sharing === undefined
      ? []
      : [
          `- Two on one port: ${ratio(sharing, direct)} times the rate of one requested directly, ${ratio(sharing, two)} times that of two behind nginx.`,
        ]),
  ];
}

function conditions(): string[] {
  const { processor, cores, memoryGiB, system, node, pinning } = describeMachine();
  const command = `npm run bench:cluster${short ? ' -- --short' : ''}`;
  const placed = pinning === null ? 'nothing is pinned' : `core ${pinning.server} is that of the service, the rest runs on ${pinning.others}`; // prettier-ignore
  return [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}.`,
    `A page of ten, ${CONNECTIONS} connections, ${PACE.rounds} interleaved rounds of ${PACE.seconds} s, medians. In the first three lines ${placed};`,
    'in the others replicas, nginx, load generator and external system share all cores.',
  ];
}

function line(measured: Measured): string {
  const rate = measured.median('rate');
  const share = measured.median('externalCoreShare');
  const cells = [
    measured.lane.label,
    String(Math.round(rate)),
    micros(measured.median('cpuMicros')),
    // The others are nginx and its workers where they are named.
    measured.lane.pids !== undefined && share !== null ? micros((share / rate) * 1e6) : '–',
    `${measured.median('p99Ms').toFixed(1)} ms`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function ratio(measured: Measured, to: Measured): string {
  return measured.ratioTo(to, 'rate').toFixed(2);
}

function costRatio(measured: Measured, to: Measured): string {
  const [cost, other] = [measured.median('cpuMicros'), to.median('cpuMicros')];
  return cost === null || other === null ? '?' : (cost / other).toFixed(2);
}

function micros(value: number | null): string {
  return value === null ? '–' : String(Math.round(value));
}

/** A service on this external system, started as `npm start` does, and what `launch` adds. */
async function startService(external: ServerProcess, launch: Partial<Launch> = {}): Promise<ServerProcess> {
  const env = { EXTERNAL_SHIPPING_BASE_URL: external.url, ...launch.env };
  return note(await ServerProcess.start({ ...SERVICE, name: 'service', ...launch, env }));
}

function note<T extends ServerProcess | ClusterMember>(each: T): T {
  started.push(each);
  return each;
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
