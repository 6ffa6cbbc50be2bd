import { atLeast, atMost, type Check, TARGETS } from './checks';
import { type Case, IDENTICAL, paged } from './cases';
import { type Bench, cell, laneOf, type Part, playAt, type Row } from './part';
import { type AnchorName, ANCHORS, type Lane, type Measured, type Ratios } from './rounds';

/** All servers under the same traffic, at each number of connections. */
export async function compare(
  bench: Bench,
  kind: Case,
  connections: readonly number[] = [32],
  wanted: Ratios = {},
): Promise<Part> {
  const lanes: Lane[] = [];
  for (const count of connections) {
    for (const name of bench.field.names) lanes.push(await bench.field.lane(name, kind, count));
  }
  const measured = await playAt(bench, lanes);
  return { rows: connections.map((count) => row(measured, kind, count, wanted)), lanes: measured };
}

/** The same at 1, 32 and 512 connections: many must not slow the service down, nor make it refuse calls. */
export async function compareConnections(bench: Bench, kind: Case): Promise<Part> {
  const part = await compare(bench, kind, [1, 32, 512]);
  const few = laneOf(part.lanes, 'service', 32);
  const many = laneOf(part.lanes, 'service', 512);
  if (few === undefined || many === undefined) return part;
  const checks = [
    atLeast(TARGETS.rateAt512OfThatAt32, many.ratioTo(few, 'rate'), 'of the rate at 32'),
    atMost(TARGETS.saturatedAt512, many.responsesWith('reason=saturated'), 'responses `saturated`'),
  ];
  return { ...part, rows: part.rows.map((each) => (each.connections === 512 ? { ...each, checks } : each)) };
}

/** With it the memory under that load. */
export async function comparePageOf10(bench: Bench): Promise<Part> {
  const { page10, residentMiBAt32 } = bench.bounds;
  const part = await compare(bench, paged(10), [32], page10);
  const memory = part.lanes.flatMap((each) => {
    const mebibytes = each.mostResidentMiB();
    return mebibytes === null ? [] : [[each.lane.server, `${Math.round(mebibytes)} MiB`]];
  });
  const own = laneOf(part.lanes, 'service', 32)?.mostResidentMiB() ?? null;
  const row: Row = {
    what: 'resident memory under that load, the service with the flags of `npm start`',
    connections: 32,
    cells: Object.fromEntries(memory) as Row['cells'],
    checks: residentMiBAt32 === undefined || own === null ? [] : [atMost(residentMiBAt32, own, 'MiB')],
  };
  return { ...part, rows: [...part.rows, row] };
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

function row(lanes: readonly Measured[], kind: Case, connections: number, wanted: Ratios): Row {
  const service = laneOf(lanes, 'service', connections);
  const ratios: Partial<Record<AnchorName, number>> = {};
  const checks: Check[] = [];
  for (const { server, ratio } of ANCHORS) {
    const anchor = laneOf(lanes, server, connections);
    if (service === undefined || anchor === undefined) continue;
    const measured = service.ratioTo(anchor);
    const bound = wanted[server];
    ratios[server] = measured;
    if (bound !== undefined) checks.push(atLeast(bound, measured, ratio));
  }
  return {
    what: kind.title,
    connections,
    cells: Object.fromEntries(lanes.filter(({ lane }) => lane.traffic.connections === connections).map((each) => [each.lane.server, cell(each)])), // prettier-ignore
    ratios,
    checks,
  };
}
