import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { memoryOf } from '../checks';
import type { ServerProcess } from '../server-process';

/** One load: the number of records on a page, the number of clients, and the body that every response must have. */
export interface Case {
  readonly size: number;
  readonly connections: number;
  readonly body: string;
}

/** The measurements of one server under one load. */
export interface Sample {
  /** Requests a second of processor time: responses, divided by the time that the server used its core. */
  readonly rate: number;
  readonly p99Ms: number;
  readonly residentMiB: number;
  /** Responses that were not 200 with the expected body, and requests without a response. */
  readonly faults: number;
}

/** Time in which connections are opened, and nothing is measured. */
const OPENING_SECONDS = 2;
/** The unit of processor times in /proc, which is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
let requests = 0;

/** The path of the next request. No two are alike, so that no cache makes a server look faster. */
export function nextPath(size: number): string {
  return `/api/Shipping/GetShippingPagedList?PageNumber=${(requests += 1)}&PageSize=${size}`;
}

/**
 * Opens connections to a server, and then measures it for `seconds`. The rate is by processor time, because the load
 * generator may be too slow to fill the core of a fast server, which would then look slower than it is.
 */
export async function sample(server: ServerProcess, kind: Case, seconds: number): Promise<Sample> {
  const durations: number[] = [];
  let cpuBefore: number | undefined;
  server.trimLog();
  const opened = setTimeout(() => (cpuBefore = cpuSeconds(server.pid)), OPENING_SECONDS * 1000);
  const { non2xx, errors, mismatches } = await autocannon({
    url: server.url,
    connections: kind.connections,
    duration: OPENING_SECONDS + seconds,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextPath(kind.size) }) }],
    // autocannon decodes each chunk alone: an `ß` across two chunks, the only letter beyond ASCII, becomes two U+FFFD.
    verifyBody: (received) => String(received).replaceAll('\ufffd\ufffd', 'ß') === kind.body,
    setupClient: (client) => {
      client.on('response', (_status, _bytes, ms) => {
        if (cpuBefore !== undefined) durations.push(ms);
      });
    },
  });
  clearTimeout(opened);
  return {
    rate: durations.length / (cpuSeconds(server.pid) - (cpuBefore ?? 0)),
    p99Ms: durations.sort((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? NaN,
    residentMiB: memoryOf(server.pid),
    faults: non2xx + errors + mismatches,
  };
}

/** The processor time that a process has used, in seconds. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process may contain spaces, so that fields count from behind its `)`: utime is 11, stime is 12.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
