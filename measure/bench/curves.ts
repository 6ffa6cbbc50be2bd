import { fitCapacity } from './capacity';
import { type Case, paged } from './cases';
import type { ServerProcess } from '../server-process';
import { startExternalSystem, startServer } from './field';
import { findPinning, pin } from './machine';
import { type Bench, type Part, playAt } from './part';
import { type Lane, Measured, type Pace, play, type ServerName } from './rounds';

/** What one server costs at one place of a curve. */
export interface Cost {
  readonly rate: number;
  readonly cpuMicros: number | null;
  readonly p99Ms: number;
}

export interface Point {
  readonly x: number;
  readonly service: Cost;
  readonly handWritten: Cost;
}

export interface Curve {
  /** Names its picture. */
  readonly name: string;
  readonly title: string;
  readonly xTitle: string;
  /** Whether the places are equally far apart, whatever their values. */
  readonly stepwise: boolean;
  readonly points: readonly Point[];
}

const PAGE_SIZES = [1, 5, 10, 25, 50, 100];
const CONNECTIONS = [1, 4, 16, 32, 64, 128, 256, 512];
const PADDINGS = [0, 250, 1_000, 2_500, 5_000, 10_000];
const PROCESSES = [1, 2];
const COMPARED = ['service', 'hand-written'] as const satisfies readonly ServerName[];

/** How cost grows with what a response holds: with the number of its records, and with their length. */
export async function costCurves(bench: Bench): Promise<Part> {
  const bySize = await measure(bench, PAGE_SIZES.map((size) => [size, paged(size), 32])); // prettier-ignore
  const kinds = PADDINGS.map((padding) => paged(10, padding));
  const bytes = await Promise.all(kinds.map((kind) => bench.field.bytesOf(kind)));
  const byPayload = await measure(bench, kinds.map((kind, index) => [(bytes[index] ?? 0) / 1024, kind, 32])); // prettier-ignore
  const sizes = await Promise.all(PAGE_SIZES.map((size) => bench.field.bytesOf(paged(size))));
  const costs = [
    ...bySize.points.map(({ x, service }, index) => ({ records: x, bytes: sizes[index] ?? 0, cpu: service.cpuMicros })),
    ...byPayload.points.map(({ x, service }) => ({ records: 10, bytes: x * 1024, cpu: service.cpuMicros })),
  ];
  const capacity = fitCapacity(costs);
  const curves: Curve[] = [
    { name: 'page-size', title: 'Cost by page size', xTitle: 'records per page', stepwise: false, points: bySize.points },
    { name: 'payload', title: 'Cost by payload, page of 10', xTitle: 'KiB per response', stepwise: false, points: byPayload.points },
  ]; // prettier-ignore
  return {
    rows: [],
    lanes: [...bySize.lanes, ...byPayload.lanes],
    figures: { curves, ...(capacity === null ? {} : { capacity }) },
    notes: capacity === null ? [] : [capacity.sentence],
  };
}

/** How the number of connections changes what a request costs. */
export async function connectionsCurve(bench: Bench): Promise<Part> {
  const { points, lanes } = await measure(bench, CONNECTIONS.map((count) => [count, paged(10), count])); // prettier-ignore
  const title = 'Cost by connections, page of 10';
  const curve: Curve = { name: 'connections', title, xTitle: 'connections', stepwise: true, points };
  return { rows: [], lanes, figures: { curves: [curve] } };
}

/**
 * One process and two. Nothing is pinned here, and the load generator and the external system share these cores: what
 * carries over to other machines is the processor time per request.
 */
export async function processesCurve(bench: Bench): Promise<Part> {
  const pinning = findPinning();
  if (pinning !== null) pin(process.pid, pinning.all);
  const external = await startExternalSystem();
  const started: ServerProcess[] = [external];
  try {
    const lanes: Lane[] = [];
    for (const name of COMPARED) {
      const processes = await Promise.all(PROCESSES.map(() => startServer(name, external, null)));
      started.push(...processes);
      const lane = { ...(await bench.field.lane(name, paged(10), 64)), label: 'page of 10, not pinned' };
      lanes.push(...PROCESSES.map((count) => ({ ...lane, processes: processes.slice(0, count) })));
    }
    const measured = await play(lanes, { ...curvePace(bench), warmUpSeconds: 4 }, external);
    const points = PROCESSES.map((x, index) => point(x, measured[index], measured[index + PROCESSES.length]));
    const title = 'Cost by processes, page of 10, 64 connections, not pinned';
    const curve: Curve = { name: 'processes', title, xTitle: 'processes', stepwise: true, points };
    const notes = [processesNote(points)];
    return { rows: [], lanes: measured, figures: { curves: [curve], notes }, notes };
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    if (pinning !== null) pin(process.pid, pinning.others);
  }
}

function processesNote(points: readonly Point[]): string {
  const said = ({ rate, cpuMicros }: Cost): string =>
    `${Math.round(rate)}/s${cpuMicros === null ? '' : ` at ${Math.round(cpuMicros)} µs`}`;
  const both = points.map((point) => `${point.x}: ${said(point.service)}, hand-written ${said(point.handWritten)}`);
  return `Processes, not pinned and sharing the cores with load generator and external system: ${both.join('; ')}.`;
}

async function measure(
  bench: Bench,
  places: readonly (readonly [x: number, kind: Case, connections: number])[],
): Promise<{ points: Point[]; lanes: Measured[] }> {
  const lanes: Lane[] = [];
  for (const [, kind, connections] of places) {
    for (const name of COMPARED) lanes.push(await bench.field.lane(name, kind, connections));
  }
  const measured = await playAt(bench, lanes, curvePace(bench));
  const points = places.map(([x], index) => point(x, measured[index * 2], measured[index * 2 + 1]));
  return { points, lanes: measured };
}

/** A curve has many places, and none of them is held to a bound. */
function curvePace({ pace }: Bench): Pace {
  return { rounds: Math.min(3, pace.rounds), seconds: Math.min(2, pace.seconds), warmUpSeconds: 1 };
}

function point(x: number, service: Measured | undefined, handWritten: Measured | undefined): Point {
  if (service === undefined || handWritten === undefined) throw new Error(`Nothing was measured at ${x}`);
  return { x, service: costOf(service), handWritten: costOf(handWritten) };
}

function costOf(measured: Measured): Cost {
  return {
    rate: measured.median('rate'),
    cpuMicros: measured.median('cpuMicros'),
    p99Ms: measured.median('p99Ms'),
  };
}
