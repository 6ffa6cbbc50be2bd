import type { Bounds, Check } from './checks';
import type { Field } from './field';
import { type Lane, type Measured, type Pace, play, type Ratios, type Sample, type ServerName } from './rounds';

/** A line of the table. */
export interface Row {
  readonly what: string;
  readonly connections?: number;
  readonly cells: Partial<Record<ServerName, string>>;
  readonly ratios?: Ratios;
  readonly checks: readonly Check[];
}

/** What one part of the benchmark found. */
export interface Part {
  readonly rows: readonly Row[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
  /** Everything that was measured, for the JSON file. */
  readonly lanes: readonly Measured[];
  readonly figures?: Readonly<Record<string, unknown>>;
}

/** What a part works with. */
export interface Bench {
  readonly field: Field;
  readonly pace: Pace;
  readonly bounds: Bounds;
}

export function playAt(bench: Bench, lanes: readonly Lane[], pace: Partial<Pace> = {}): Promise<Measured[]> {
  return play(lanes, { ...bench.pace, ...pace }, bench.field.external);
}

/** The lane that this server had at this number of connections. */
export function laneOf(lanes: readonly Measured[], server: ServerName, connections: number): Measured | undefined {
  return lanes.find(({ lane }) => lane.server === server && lane.traffic.connections === connections);
}

/** Rate, processor time per request, share of the core and 99th percentile. */
export function cell(measured: Measured): string {
  const cpu = measured.median('cpuMicros');
  const parts = [
    `${Math.round(measured.median('rate'))}/s`,
    ...(cpu === null ? [] : [`${Math.round(cpu)} µs`, `${Math.round((measured.median('coreShare') ?? 0) * 100)} %`]),
    `${measured.median('p99Ms').toFixed(1)} ms`,
  ];
  return parts.join(' · ');
}

/** Wrong responses, by lane; none where all is well. */
export function faultsOf(part: Part): string[] {
  return part.lanes.flatMap(({ lane, samples }) =>
    samples.flatMap((sample) =>
      Object.entries({ ...sample.faults, ...incompleteIn(sample, lane) }).map(
        ([how, times]) =>
          `${lane.server}, ${lane.label}, ${lane.traffic.connections} connections: ${how}, ${times} times`,
      ),
    ),
  );
}

/** Below this share of a core, something else than the server was what limited it. */
const BUSY = 0.9;

/** Lanes whose server had time left although it was asked for all it could give: their ratios say little. */
export function idleLanes({ lanes }: Part): string[] {
  return lanes.flatMap((measured) => {
    const { server, label, processes, traffic } = measured.lane;
    const share = measured.median('coreShare');
    const isLimited = share === null || share >= BUSY || traffic.rate !== undefined;
    if (isLimited || traffic.connections < 32 || processes.length > 1 || server === 'external system') return [];
    return [`Not limited by its core: ${server}, ${label}, ${traffic.connections} connections, used ${Math.round(share * 100)} %.`]; // prettier-ignore
  });
}

/** Probes of an open circuit fail by themselves: a few responses may say so. */
const PROBE_SHARE = 0.01;
const PROBE_FAILED = 'unavailable;reason=upstream-error';

function incompleteIn({ completeness, responses }: Sample, { traffic }: Lane): Record<string, number> {
  const others = Object.entries(completeness).filter(([value, times]) => {
    const isProbe = traffic.completeness === CIRCUIT_OPEN && value === PROBE_FAILED && times <= responses * PROBE_SHARE;
    return value !== traffic.completeness && !isProbe;
  });
  return Object.fromEntries(others.map(([value, times]) => [`Shipping-Completeness: ${value}`, times]));
}

export const CIRCUIT_OPEN = 'unavailable;reason=circuit-open';
