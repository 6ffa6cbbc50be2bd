import autocannon from 'autocannon';
import type { ServerProcess } from '../server-process';
import type { Case } from './cases';
import { cpuSeconds, residentMiB } from './machine';

/** What one server did under one load. */
export interface Sample {
  /** Requests a second that its core carries: what it served, by the processor time that it took. */
  readonly rate: number;
  /** 99th percentile of the time to a response. */
  readonly p99Ms: number;
  readonly residentMiB: number;
  /** Responses that were not 200 with the expected body, and requests without a response. */
  readonly faults: number;
}

/** In which connections are opened: not measured. */
const OPENING_SECONDS = 2;

/**
 * Loads a server for so many seconds, after its connections were opened. The rate does not depend on how busy the load
 * generator is: where that cannot fill the core of a server, the number of requests alone would make a fast one look slow.
 */
export async function measure(server: ServerProcess, kind: Case, expected: string, seconds: number): Promise<Sample> {
  const { nextPath, connections } = kind;
  const durations: number[] = [];
  let cpuBefore: number | undefined;
  // The server that was loaded before may still be closing connections.
  await new Promise((resolve) => setTimeout(resolve, 100));
  server.trimLog();
  const opened = setTimeout(() => (cpuBefore = cpuSeconds(server.pid)), OPENING_SECONDS * 1000);
  const { non2xx, errors, mismatches } = await autocannon({
    url: server.url,
    connections,
    duration: OPENING_SECONDS + seconds,
    requests: [{ setupRequest: (request) => ({ ...request, path: nextPath() }) }],
    verifyBody: (body) => mended(String(body)) === expected,
    setupClient: (client) => {
      // The first response of each has waited for its connection.
      client.once('response', () => {
        client.on('response', (_status, _bytes, ms) => {
          if (cpuBefore !== undefined) durations.push(ms);
        });
      });
    },
  });
  clearTimeout(opened);
  const used = cpuSeconds(server.pid) - (cpuBefore ?? 0);
  return {
    rate: durations.length / used,
    p99Ms: durations.sort((a, b) => a - b)[Math.floor(durations.length * 0.99)] ?? NaN,
    residentMiB: residentMiB(server.pid),
    faults: non2xx + errors + mismatches,
  };
}

/** autocannon decodes a body piece by piece, which splits a letter between two pieces in two. */
function mended(body: string): string {
  return body.includes('\ufffd\ufffd') ? body.replaceAll('\ufffd\ufffd', 'ß') : body;
}
