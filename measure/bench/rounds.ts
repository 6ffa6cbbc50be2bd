import type { ServerProcess } from '../server-process';
import { load, type Traffic } from './load';
import { cpuSeconds, memoryOf } from './machine';
import { Recorder } from './recorder';
import { steadyLoad } from './steady-load';
import { median, medianOrNull } from './statistics';

/** The servers that the service is compared with, and what its ratio to each is called. */
export const ANCHORS = [
  { server: 'hand-written', ratio: 'of hand-written', digits: 2 },
  { server: 'with libraries', ratio: 'times libraries', digits: 2 },
  { server: 'stock Nest', ratio: 'times stock', digits: 1 },
] as const;

export type AnchorName = (typeof ANCHORS)[number]['server'];
export type ServerName = 'service' | AnchorName;
/** Ratios of the service to other servers. */
export type Ratios = Readonly<Partial<Record<AnchorName, number>>>;

export const SERVERS: readonly ServerName[] = ['service', ...ANCHORS.map(({ server }) => server)];

/** One server under one traffic. */
export interface Lane {
  readonly server: ServerName | 'external system';
  readonly label: string;
  readonly processes: readonly ServerProcess[];
  readonly traffic: Traffic;
  /** Requests at even distances instead of those of autocannon. */
  readonly steady?: boolean;
  /** Whose processor time is measured, where it is not that of the server that gets the requests. */
  readonly pids?: { readonly server: readonly number[]; readonly others: readonly number[] };
}

export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  /** Before the rounds, for each lane. */
  readonly warmUpSeconds: number;
}

/** One lane in one round. Processor figures are `null` where /proc is missing. */
export interface Sample {
  /** Responses per second. */
  readonly rate: number;
  /**
   * What a whole core of the server would serve per second: the rate by the share of its core that it took. Where the
   * generator could not ask for more, the rate alone would make the faster server look no faster than that.
   */
  readonly perCore: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly responses: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly completeness: Readonly<Record<string, number>>;
  /** Processor time of the server per response. */
  readonly cpuMicros: number | null;
  /** How much of a core the server used; near 1, its core was what limited it. */
  readonly coreShare: number | null;
  /** The same of the external system, or of the others that are measured. */
  readonly externalCoreShare: number | null;
  readonly residentMiB: number | null;
}

const FIGURES = [
  'rate',
  'perCore',
  'p50Ms',
  'p99Ms',
  'cpuMicros',
  'coreShare',
  'externalCoreShare',
  'residentMiB',
] as const;
type Figure = (typeof FIGURES)[number];

/** What the rounds of a lane gave. */
export class Measured {
  readonly samples: Sample[] = [];

  constructor(readonly lane: Lane) {}

  median(figure: 'rate' | 'perCore' | 'p50Ms' | 'p99Ms'): number;
  median(figure: Figure): number | null;
  median(figure: Figure): number | null {
    return medianOrNull(this.samples.map((sample) => sample[figure]));
  }

  /** The most that the server was seen with after a round. */
  mostResidentMiB(): number | null {
    const seen = this.samples.flatMap(({ residentMiB }) => residentMiB ?? []);
    return seen.length === 0 ? null : Math.max(...seen);
  }

  /** How many responses said this in `Shipping-Completeness`. */
  responsesWith(text: string): number {
    const said = this.samples.flatMap(({ completeness }) => Object.entries(completeness));
    return said.reduce((sum, [value, times]) => (value.includes(text) ? sum + times : sum), 0);
  }

  /** Median of the ratios of each round, so that what slows a whole round down does not count. */
  ratioTo(other: Measured, figure: 'rate' | 'perCore' | 'p99Ms' = 'perCore'): number {
    return median(this.samples.map((sample, round) => sample[figure] / (other.samples[round]?.[figure] ?? NaN)));
  }

  toJSON(): object {
    const { server, label, processes, traffic, steady = false } = this.lane;
    const medians = Object.fromEntries(FIGURES.map((figure) => [figure, this.median(figure)]));
    const { connections, rate: atRate } = traffic;
    return { server, label, processes: processes.length, connections, atRate, steady, medians, samples: this.samples };
  }
}

/** Plays the lanes in turns, round by round. */
export async function play(lanes: readonly Lane[], pace: Pace, external: ServerProcess): Promise<Measured[]> {
  const measured = lanes.map((lane) => new Measured(lane));
  for (const lane of lanes) await loadLane(lane, pace.warmUpSeconds, new Recorder(lane.traffic.connections));
  for (let round = 0; round < pace.rounds; round += 1) {
    for (const { lane, samples } of measured) samples.push(await sample(lane, pace.seconds, external));
  }
  return measured;
}

async function sample(lane: Lane, seconds: number, external: ServerProcess): Promise<Sample> {
  const { server: pids, others: otherPids } = lane.pids ?? {
    server: lane.processes.map(({ pid }) => pid),
    others: [external.pid],
  };
  const meter = (): [number, number | null, number | null] => [performance.now(), processorTime(pids), processorTime(otherPids)]; // prettier-ignore
  const recorder = new Recorder(lane.traffic.connections);
  const before = recorder.underWay.then(meter);
  await loadLane(lane, seconds, recorder);
  recorder.over();
  const [startedAt, server, others] = await before;
  const [endedAt, serverNow, othersNow] = meter();
  const elapsed = (endedAt - startedAt) / 1000;
  const used = difference(serverNow, server);
  const usedByExternal = difference(othersNow, others);
  const resident = pids.map((pid) => memoryOf(pid)?.residentMiB ?? NaN).reduce((sum, each) => sum + each, 0);
  const { rate, responses, faults, completeness } = recorder;
  const coreShare = used === null ? null : used / elapsed;
  return {
    rate,
    perCore: coreShare === null ? rate : rate / coreShare,
    ...recorder.percentiles(),
    responses,
    faults,
    completeness,
    cpuMicros: used === null ? null : (used / responses) * 1e6,
    coreShare,
    externalCoreShare: usedByExternal === null ? null : usedByExternal / elapsed,
    residentMiB: Number.isNaN(resident) ? null : resident,
  };
}

async function loadLane(lane: Lane, seconds: number, recorder: Recorder): Promise<void> {
  const { processes, traffic, steady = false } = lane;
  // The server that was loaded before may still be closing connections.
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const process of processes) process.trimLog();
  const share = { ...traffic, connections: traffic.connections / processes.length };
  await Promise.all(processes.map(({ url }) => (steady ? steadyLoad : load)(url, share, seconds, recorder)));
}

function processorTime(pids: readonly number[]): number | null {
  return pids.map(cpuSeconds).reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
}

function difference(to: number | null, from: number | null): number | null {
  return to === null || from === null ? null : to - from;
}
