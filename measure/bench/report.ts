import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { putBetween, tableOf } from '../markdown';
import type { Check } from './checks';
import type { Machine } from './machine';
import { idleLanes, type Part, type Row } from './part';
import { ANCHORS, type Pace, SERVERS } from './rounds';

const ROOT = join(__dirname, '../..');
const DOCUMENT = join(ROOT, 'docs/performance.md');
const RESULTS = join(ROOT, 'reports/bench.json');

/** What was run, on what. */
export interface Conditions {
  readonly command: string;
  readonly machine: Machine;
  readonly pace: Pace;
}

/** The table, with what it was measured on. */
export function report(parts: ReadonlyMap<string, Part>, conditions: Conditions): string {
  const all = [...parts.values()];
  const notes = all.flatMap((part) => [...(part.notes ?? []), ...idleLanes(part)]);
  return [preface(conditions), '', ...table(all.flatMap(({ rows }) => rows)), '', ...notes].join('\n').trimEnd();
}

export function verdict({ what, measured, bound, sense, met }: Check): string {
  const figure = measured >= 100 || Number.isInteger(measured) ? String(Math.round(measured)) : measured.toFixed(2);
  return `${figure} ${what}, ${sense} ${bound}: ${met ? 'met' : 'NOT MET'}`;
}

/** Everything that was measured, round by round. */
export function save(parts: ReadonlyMap<string, Part>, conditions: Conditions): void {
  mkdirSync(dirname(RESULTS), { recursive: true });
  const measuredAt = new Date().toISOString();
  const results = { measuredAt, ...conditions, parts: Object.fromEntries(parts) };
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** @returns whether docs/performance.md has these markers */
export function publish(text: string, marker: string): boolean {
  return putBetween(DOCUMENT, marker, text);
}

function preface({ command, machine, pace }: Conditions): string {
  const { node, processor, cores, memoryGiB, system, pinning } = machine;
  const cores_ = pinning === null
    ? 'Nothing is pinned to cores.'
    : `Servers run on core ${pinning.server}, load generator and external system on ${pinning.others}.`; // prettier-ignore
  return [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}.`,
    `Interleaved rounds: ${pace.rounds} of ${pace.seconds} s for each server. ${cores_}`,
    'Each cell: requests per second, processor time of the server per request, share of its core that it used, 99th percentile;',
    'medians. Ratios are medians of the ratios of each round, of what a whole core carries: where the generator could not fill',
    'the core of a server, its rate alone would flatter the others.',
  ].join('\n');
}

function table(rows: readonly Row[]): string[] {
  const head = [
    'Case',
    'Connections',
    ...[...SERVERS, ...ANCHORS.map(({ ratio }) => ratio)].map(capitalised),
    'Target',
  ];
  const lines = rows.map((row) => [
    row.what,
    String(row.connections ?? ''),
    ...SERVERS.map((name) => row.cells[name] ?? ''),
    ...ANCHORS.map(({ server, digits }) => row.ratios?.[server]?.toFixed(digits) ?? ''),
    row.checks.map(verdict).join('; '),
  ]);
  return tableOf(head, lines);
}

function capitalised(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1);
}
