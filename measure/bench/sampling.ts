import autocannon from 'autocannon';
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
  /** The body that every response must have, where it is known. */
  readonly body?: string;
}

const CONNECTIONS = 32;
/** A server that uses less of its core waits for the load generator. */
const MIN_BUSY_SHARE = 0.9;
/** V8 compiles the frequent functions in this time, so that it does not count. */
const WARM_UP_SECONDS = 3;
/** V8 allocates more until it has compiled them for good, which takes some 25,000 requests. */
const WARM_UP_REQUESTS = 30_000;
const COUNTED_REQUESTS = 18_000;

/**
 * Measures each case once a round: what slows the machine for a while slows all of them.
 *
 * @returns the median rate of each case by its name, in requests a second of processor time; `NaN` where the server was
 * idle: one that waits for the load generator pays for its own wake-ups, 28 µs for each response instead of 18 in a
 * virtual machine
 */
export async function ratesOf(cases: readonly Case[], rounds: number, seconds: number): Promise<Map<string, number>> {
  const rates = new Map(cases.map(({ name }) => [name, [] as number[]]));
  // A load generator that compares bodies is slower than most servers, so that it does so before it measures.
  for (const each of cases) await load(each, { duration: WARM_UP_SECONDS }, each.body);
  for (let round = 0; round < rounds; round += 1) {
    for (const each of cases) rates.get(each.name)?.push(await measure(each, seconds));
  }
  return new Map([...rates].map(([name, own]) => [name, medianOfBusy(own)]));
}

function medianOfBusy(rates: readonly number[]): number {
  const busy = rates.filter((rate) => !Number.isNaN(rate));
  return 2 * busy.length > rates.length ? median(busy) : NaN;
}

/**
 * Sends requests for some seconds, or so many of them.
 *
 * @returns the number of responses
 * @throws Error where a response has another status or body, or a request no response
 */
async function load(
  { name, server, path, headers, status }: Case,
  bound: Pick<autocannon.Options, 'duration' | 'amount'>,
  body?: string,
): Promise<number> {
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({ ...request, path: path() });
  // autocannon decodes each chunk alone: an `ß` across two chunks, the only letter beyond ASCII, becomes two U+FFFD.
  const verifyBody = (received: unknown): boolean => String(received).replaceAll('\ufffd\ufffd', 'ß') === body;
  const options = { url: server.url, connections: CONNECTIONS, headers, requests: [{ setupRequest }], ...bound };
  const result = await autocannon(body === undefined ? options : { ...options, verifyBody });
  const { requests, errors, mismatches, statusCodeStats = {} } = result;
  const expected = statusCodeStats[`${status}`]?.count ?? 0;
  const faults = requests.total - expected + errors + mismatches;
  if (faults > 0) throw new Error(`${name}: ${faults} wrong or missing responses`);
  return expected;
}

/**
 * The rate of a server under load: responses, divided by the time that it used its core. The load generator may be too
 * slow to fill the core of a fast server, which would look slower by the clock than it is.
 */
async function measure(own: Case, seconds: number): Promise<number> {
  const { server } = own;
  server.emptyLog();
  const fallAsleep = stayAwake();
  const { cpuMicros: before } = await server.metrics();
  const startedAt = performance.now();
  const responses = await load(own, { duration: seconds });
  const passedMs = performance.now() - startedAt;
  const usedMs = ((await server.metrics()).cpuMicros - before) / 1000;
  fallAsleep();
  return usedMs < MIN_BUSY_SHARE * passedMs ? NaN : (1000 * responses) / usedMs;
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
