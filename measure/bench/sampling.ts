import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { memoryOf } from '../checks';
import type { ServerProcess } from '../server-process';

/** Pages of so many records for so many clients, and the only right body. */
export interface Case {
  readonly size: number;
  readonly connections: number;
  readonly body: string;
}

/** What one server did under one load. */
export interface Sample {
  /** Requests a second that its core carries: what it served, by the processor time that it took. */
  readonly rate: number;
  readonly p99Ms: number;
  readonly residentMiB: number;
  /** Responses that were not 200 with the expected body, and requests without a response. */
  readonly faults: number;
}

/** While connections are opened, nothing is measured. */
const OPENING_SECONDS = 2;
/** /proc counts in these; the value is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
let requests = 0;

/** The path of the next request; no two are alike, so that caching cannot flatter. */
export function nextPath(size: number): string {
  return `/api/Shipping/GetShippingPagedList?PageNumber=${(requests += 1)}&PageSize=${size}`;
}

/**
 * Loads a server for so many seconds, after its connections were opened. The rate does not depend on how busy the load
 * generator is: where that cannot fill the core of a server, the number of requests alone would make a fast one look slow.
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
    // autocannon decodes a body piece by piece, which splits a letter between two pieces in two.
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

/** Processor time that a process has used. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process may hold spaces; what follows it does not. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
