import { isEmptyPage, paged } from './cases';
import { atLeast, atMost, TARGETS } from './checks';
import { startExternalSystem, startServer } from './field';
import { findPinning } from './machine';
import { type Bench, cell, CIRCUIT_OPEN, type Part, playAt } from './part';
import type { Lane, Measured } from './rounds';
import { PLAIN_SERVICE } from './service';
import { median } from './statistics';

const STARTS = 5;

/** A second service whose external system fails, against the healthy one. */
export async function circuitOpen(bench: Bench): Promise<Part> {
  const failing = await startExternalSystem({ BENCH_UPSTREAM_FAILS: '1' });
  const stranded = await startServer('service', failing, findPinning());
  try {
    const healthy = await bench.field.lane('service', paged(10), 32);
    const traffic = { ...healthy.traffic, isRight: isEmptyPage, completeness: CIRCUIT_OPEN };
    const open: Lane = { ...healthy, label: 'circuit open, page of 10', processes: [stranded], traffic };
    // The first calls fail, which is what opens the circuit, and the process is new.
    await playAt(bench, [open], { rounds: 0, warmUpSeconds: newProcessWarmUp(bench) });
    const [own, whole] = (await playAt(bench, [open, healthy])) as [Measured, Measured];
    const check = atLeast(bench.bounds.circuitOpenTimesHealthy, own.ratioTo(whole), 'times healthy');
    const rows = [{ what: open.label, connections: 32, cells: { service: cell(own) }, checks: [check] }];
    return { rows, lanes: [own, whole] };
  } finally {
    await Promise.all([stranded.stop(), failing.stop()]);
  }
}

/** autocannon spreads a rate over whole seconds. */
const PACED_SECONDS = 2;

/** The 99th percentile at half of the service's own maximum, evenly paced and in the bursts of autocannon. */
export async function tailLatency(bench: Bench): Promise<Part> {
  const { field } = bench;
  const pace = { seconds: Math.max(PACED_SECONDS, bench.pace.seconds) };
  const [full] = await playAt(bench, [await field.lane('service', paged(10), 32)], { ...pace, rounds: 3 });
  const rate = Math.round((full?.median('rate') ?? 0) / 2);
  const service = await field.lane('service', paged(10), 32, { rate });
  const handWritten = await field.lane('hand-written', paged(10), 32, { rate });
  const paced = [service, handWritten].map((lane) => ({ ...lane, steady: true }));
  const measured = await playAt(bench, [...paced, service, handWritten], pace);
  const pairs = [measured.slice(0, 2), measured.slice(2)] as [Measured, Measured][];
  const names = ['evenly paced', 'autocannon, in bursts'];
  const rows = pairs.map(([own, other], index) => ({
    what: `${rate}/s, half of the service's maximum, ${names[index] ?? ''}`,
    connections: 32,
    cells: { service: cell(own), 'hand-written': cell(other) },
    checks: [atMost(TARGETS.tailTimesHandWritten, own.ratioTo(other, 'p99Ms'), "times hand-written's p99")],
  }));
  return { rows, lanes: measured };
}

const MEMORY_SECONDS = 60;

/** The memory of a new service after a minute of pages of 10 at 512 connections, with the flags of `npm start`. */
export async function memoryAt512(bench: Bench): Promise<Part> {
  const { field } = bench;
  const service = await startServer('service', field.external, findPinning());
  try {
    const lane = { ...(await field.lane('service', paged(10), 512)), processes: [service] };
    const pace = { rounds: 1, seconds: MEMORY_SECONDS, warmUpSeconds: newProcessWarmUp(bench) };
    const [measured] = (await playAt(bench, [lane], pace)) as [Measured];
    const resident = measured.mostResidentMiB();
    if (resident === null) return { rows: [], lanes: [measured] };
    const row = {
      what: 'resident memory after a minute, with the flags of `npm start`',
      connections: 512,
      cells: { service: `${Math.round(resident)} MiB` },
      checks: [atMost(TARGETS.residentMiBAt512, resident, 'MiB')],
    };
    return { rows: [row], lanes: [measured] };
  } finally {
    await service.stop();
  }
}

/** From the start of the process to the first good response of its readiness probe. */
export async function startUp(bench: Bench): Promise<Part> {
  const readyMs: number[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const service = await startServer('service', bench.field.external, findPinning(), PLAIN_SERVICE);
    readyMs.push(service.readyMs);
    await service.stop();
  }
  const usual = median(readyMs);
  const row = {
    what: 'ready after start by `node dist/main.js`',
    cells: { service: `${Math.round(usual)} ms` },
    checks: [atMost(TARGETS.readyMs, usual, 'ms')],
  };
  return { rows: [row], lanes: [], figures: { readyMs } };
}

/** Whether the external system could ever be what limits a server. */
export async function headroom(bench: Bench): Promise<Part> {
  const { field } = bench;
  const lanes = [await field.externalLane(paged(10), 32), await field.lane('hand-written', paged(10), 32)];
  const [direct, handWritten] = (await playAt(bench, lanes)) as [Measured, Measured];
  const cpu = direct.median('cpuMicros');
  const share = handWritten.median('externalCoreShare');
  const note = [
    `External system: ${Math.round(direct.median('rate'))} replies a second to the same generator, on one core with it`,
    ...(cpu === null ? [] : [`, at ${Math.round(cpu)} µs each: a core of its own would give ${Math.round(1e6 / cpu)}`]),
    ...(share === null
      ? []
      : [`; it used ${Math.round(share * 100)} % of a core under the hand-written server, the fastest`]),
    '.',
  ];
  return { rows: [], notes: [note.join('')], lanes: [direct, handWritten] };
}

/** Seconds until a process that no other part has loaded is compiled. */
function newProcessWarmUp({ pace }: Bench): number {
  return Math.max(3, pace.warmUpSeconds);
}
