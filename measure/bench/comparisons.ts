import { atLeast, type Check } from './checks';
import { type Case, IDENTICAL, paged } from './cases';
import { type Bench, cell, laneOf, type Part, playAt, type Row } from './part';
import type { Lane, Measured } from './rounds';

interface Wanted {
  readonly ofHandWritten?: number;
  readonly timesStock?: number;
}

/** All servers under the same traffic, at each number of connections. */
export async function compare(
  bench: Bench,
  kind: Case,
  connections: readonly number[] = [32],
  wanted: Wanted = {},
): Promise<Part> {
  const lanes: Lane[] = [];
  for (const count of connections) {
    for (const name of bench.field.names) lanes.push(await bench.field.lane(name, kind, count));
  }
  const measured = await playAt(bench, lanes);
  return { rows: connections.map((count) => row(measured, kind, count, wanted)), lanes: measured };
}

/** The same at 1, 32 and 512 connections: many must not slow the service down. */
export async function compareConnections(bench: Bench, kind: Case, wanted?: number): Promise<Part> {
  const part = await compare(bench, kind, [1, 32, 512]);
  const few = laneOf(part.lanes, 'service', 32);
  const many = laneOf(part.lanes, 'service', 512);
  if (wanted === undefined || few === undefined || many === undefined) return part;
  const check = atLeast(wanted, many.ratioTo(few, 'rate'), 'of the rate at 32');
  return { ...part, rows: part.rows.map((each) => (each.connections === 512 ? { ...each, checks: [check] } : each)) };
}

/** With it the memory under that load. */
export async function comparePageOf10(bench: Bench): Promise<Part> {
  const part = await compare(bench, paged(10), [32], bench.bounds.page10);
  const memory = part.lanes.flatMap((each) => {
    const mebibytes = each.mostResidentMiB();
    return mebibytes === null ? [] : [[each.lane.server, `${Math.round(mebibytes)} MiB`]];
  });
  const cells = Object.fromEntries(memory) as Row['cells'];
  return {
    ...part,
    rows: [...part.rows, { what: 'resident memory under that load', connections: 32, cells, checks: [] }],
  };
}

/** Identical requests in flight share a call; kept apart from the rest, which must not profit from that. */
export async function compareIdentical(bench: Bench): Promise<Part> {
  const { field } = bench;
  const lanes = [await field.lane('service', paged(10), 32)];
  for (const name of field.names) lanes.push(await field.lane(name, IDENTICAL, 32));
  const [distinct, ...identical] = await playAt(bench, lanes);
  const own = identical[0];
  if (distinct === undefined || own === undefined) throw new Error('No lanes');
  const note = `Identical requests: ${own.ratioTo(distinct, 'rate').toFixed(2)} times the rate of distinct ones, by sharing calls.`;
  return { rows: [row(identical, IDENTICAL, 32, {})], notes: [note], lanes: [distinct, ...identical] };
}

function row(lanes: readonly Measured[], kind: Case, connections: number, wanted: Wanted): Row {
  const of = (name: 'service' | 'hand-written' | 'stock Nest'): Measured | undefined =>
    laneOf(lanes, name, connections);
  const [service, handWritten, stock] = [of('service'), of('hand-written'), of('stock Nest')];
  const ofHandWritten = handWritten && service?.ratioTo(handWritten);
  const timesStock = stock && service?.ratioTo(stock);
  const checks: Check[] = [];
  if (wanted.ofHandWritten !== undefined && ofHandWritten !== undefined)
    checks.push(atLeast(wanted.ofHandWritten, ofHandWritten, 'of hand-written'));
  if (wanted.timesStock !== undefined && timesStock !== undefined)
    checks.push(atLeast(wanted.timesStock, timesStock, 'times stock'));
  return {
    what: kind.title,
    connections,
    cells: Object.fromEntries(lanes.filter(({ lane }) => lane.traffic.connections === connections).map((each) => [each.lane.server, cell(each)])), // prettier-ignore
    ...(ofHandWritten === undefined ? {} : { ofHandWritten }),
    ...(timesStock === undefined ? {} : { timesStock }),
    checks,
  };
}
