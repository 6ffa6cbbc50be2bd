import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { median } from '../report';
import type { ServerProcess } from '../server-process';

/** One load on a server. */
export interface Case {
  readonly server: ServerProcess;
  /** The path of the next request. */
  readonly path: () => string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that every response must have; 200 by default. */
  readonly status?: number;
  /** The body that every response of the warm-up must have; where it is `undefined`, bodies are not compared. */
  readonly body?: string;
}

/** The measurements of one server under one load. */
export interface Sample {
  /** Requests a second of processor time: responses, divided by the time that the server used its core. */
  readonly rate: number;
  /** The share of the time in which the server had nothing to do. */
  readonly idle: number;
  /** Responses that did not have the expected status and body, and requests without a response. */
  readonly faults: number;
}

const CONNECTIONS = 32;
/** Time in which connections are opened, and nothing is measured. */
const OPENING_SECONDS = 2;
/** The unit of processor times in /proc, which is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const MOST_IDLE = 0.1;
/** V8 compiles the frequent functions in this time, so that it does not count. */
const WARM_UP_SECONDS = 3;

/** What all rounds under one load gave. */
export class Results {
  /** Wrong and missing responses of all samples. */
  faults = 0;
  private readonly samples: (Sample & { readonly name: string })[] = [];

  /** Samples each case once a round: what slows the machine for a while slows all of them. */
  static async of(cases: readonly (readonly [string, Case])[], rounds: number, seconds: number): Promise<Results> {
    const results = new Results();
    for (const [, each] of cases) results.faults += (await sample(each, WARM_UP_SECONDS)).faults;
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, each] of cases) {
        // A load generator that compares bodies would be slower than most servers, which would then be idle.
        const found = await sample({ ...each, body: undefined }, seconds);
        results.samples.push({ name, ...found });
        results.faults += found.faults;
      }
    }
    return results;
  }

  median(name: string, figure: 'rate' | 'idle' = 'rate'): number {
    return median(this.samples.flatMap((each) => (each.name === name ? each[figure] : [])));
  }

  /**
   * The ratio of two rates. Where one of the servers waited for the load generator, it paid for its own wake-ups, 28 µs
   * for each response instead of 18 in a virtual machine, so that there is none.
   */
  ratio(name: string, other: string): string {
    if ([name, other].some((each) => this.median(each, 'idle') > MOST_IDLE)) return 'one was idle';
    return (this.median(name) / this.median(other)).toFixed(2);
  }
}

/**
 * Opens connections to a server, and then measures it for `seconds`. The rate is by processor time, because the load
 * generator may be too slow to fill the core of a fast server, which would then look slower than it is.
 */
async function sample({ server, path, status = 200, body, headers }: Case, seconds: number): Promise<Sample> {
  let [counted, wrong] = [0, 0];
  let before: { cpu: number; busy: number; at: number } | undefined;
  const now = (): NonNullable<typeof before> => ({
    cpu: cpuSeconds(server.pid),
    busy: busySeconds(server.pid),
    at: performance.now() / 1000,
  });
  server.emptyLog();
  const fallAsleep = stayAwake();
  const opened = setTimeout(() => (before = now()), OPENING_SECONDS * 1000);
  const { errors, mismatches } = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    headers,
    duration: OPENING_SECONDS + seconds,
    requests: [{ setupRequest: (request) => ({ ...request, path: path() }) }],
    // autocannon decodes each chunk alone: an `ß` across two chunks, the only letter beyond ASCII, becomes two U+FFFD.
    ...(body && { verifyBody: (received) => String(received).replaceAll('\ufffd\ufffd', 'ß') === body }),
    setupClient: (client) => {
      client.on('response', (received) => {
        if (received !== status) wrong += 1;
        if (before !== undefined) counted += 1;
      });
    },
  });
  clearTimeout(opened);
  fallAsleep();
  const { cpu, busy, at } = before ?? now();
  const after = now();
  return {
    rate: counted / (after.cpu - cpu),
    idle: 1 - (after.busy - busy) / (after.at - at),
    faults: wrong + errors + mismatches,
  };
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

/** The time in which the main thread of a process has run, or waited for its core, in seconds. */
function busySeconds(pid: number): number {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return (ran + waited) / 1e9;
}
