import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { median } from '../report';
import type { ServerProcess } from '../server-process';

/** One load on a server. */
export interface Case {
  readonly name: string;
  readonly server: ServerProcess;
  /** The path of the next request. */
  readonly path: () => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that every response must have. */
  readonly status: number;
}

/** What one server did under one load: a sample, or the medians of several and all their faults. */
export interface Sample {
  /** Requests a second of processor time: responses, divided by the time that the server used its core. */
  readonly rate: number;
  /** Responses that did not have the expected status, and requests without a response. */
  readonly faults: number;
}

const CONNECTIONS = 32;
/** The unit of processor times in /proc, which is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** V8 compiles the frequent functions in this time, so that it does not count. */
const WARM_UP_SECONDS = 3;
/** V8 allocates more until it has compiled them for good, which takes some 25,000 requests. */
const WARM_UP_REQUESTS = 30_000;
const COUNTED_REQUESTS = 18_000;

/**
 * Samples each case once a round: what slows the machine for a while slows all of them.
 *
 * @returns what came of each case, by its name
 */
export async function sampleAll(
  cases: readonly Case[],
  rounds: number,
  seconds: number,
): Promise<ReadonlyMap<string, Sample>> {
  const samples = new Map(cases.map(({ name }) => [name, [] as Sample[]]));
  for (const each of cases) await sample(each, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const each of cases) samples.get(each.name)?.push(await sample(each, seconds));
  }
  return new Map([...samples].map(([name, own]) => [name, summaryOf(own)]));
}

function summaryOf(samples: readonly Sample[]): Sample {
  const faults = samples.reduce((sum, each) => sum + each.faults, 0);
  return { rate: median(samples.map(({ rate }) => rate)), faults };
}

/** Sends requests for some seconds, or so many of them. */
function load(
  { server, path, headers }: Case,
  bound: Pick<autocannon.Options, 'duration' | 'amount'>,
): Promise<autocannon.Result> {
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, path: path() });
  return autocannon({ url: server.url, connections: CONNECTIONS, headers, requests: [{ setupRequest }], ...bound });
}

/**
 * Measures a server under load. The rate is by processor time, because the load generator may be too slow to fill the
 * core of a fast server, which would then look slower than it is.
 */
async function sample(own: Case, seconds: number): Promise<Sample> {
  const { pid } = own.server;
  own.server.emptyLog();
  const fallAsleep = stayAwake();
  const before = cpuSeconds(pid);
  const { requests, errors, statusCodeStats = {} } = await load(own, { duration: seconds });
  const used = cpuSeconds(pid) - before;
  fallAsleep();
  const expected = statusCodeStats[`${own.status}`]?.count ?? 0;
  return { rate: expected / used, faults: requests.total - expected + errors };
}

/** The KiB that the warm server allocates for each request; `NaN` where V8 does not count them (before Node 26). */
export async function allocatedKib(own: Case): Promise<number> {
  await load(own, { amount: WARM_UP_REQUESTS });
  const { allocatedBytes: before = NaN } = await own.server.metrics();
  await load(own, { amount: COUNTED_REQUESTS });
  const { allocatedBytes: after = NaN } = await own.server.metrics();
  return (after - before) / COUNTED_REQUESTS / 1024;
}

/**
 * Keeps this process from waiting for events, until the returned function is called. Otherwise a server that is slower
 * than the load generator wakes it with each response, which costs the server 15 µs in a virtual machine, 17 % of a hit,
 * and a faster server pays nothing.
 */
function stayAwake(): () => void {
  let isAwake = true;
  const turn = (): void => {
    if (isAwake) setImmediate(turn);
  };
  turn();
  return () => (isAwake = false);
}

/** The processor time that a process has used, in seconds. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process may contain spaces, so that fields count from behind its `)`: utime is 11, stime is 12.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
