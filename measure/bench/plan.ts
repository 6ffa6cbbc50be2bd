import { BY_ID, paged, unpaged } from './cases';
import { TARGETS } from './checks';
import { compare, compareConnections, compareIdentical, comparePageOf10 } from './comparisons';
import { circuitOpen, headroom, memoryAt512, startUp, tailLatency } from './conditions';
import { connectionsCurve, costCurves, processesCurve } from './curves';
import { logLines } from './log-lines';
import type { Bench, Part } from './part';

type Measurement = (bench: Bench) => Promise<Part>;

const page100: Measurement = (bench) => compare(bench, paged(100), [32], bench.bounds.page100);

/** Everything, in the order in which it is measured. */
export const FULL: ReadonlyMap<string, Measurement> = new Map<string, Measurement>([
  ['page-10', comparePageOf10],
  ['memory', memoryAt512],
  ['page-100', page100],
  ['by-id', (bench) => compare(bench, BY_ID, [32], TARGETS.byId)],
  ['unpaged-100', (bench) => compare(bench, unpaged(100))],
  ['connections-page-10', (bench) => compareConnections(bench, paged(10))],
  ['tail', tailLatency],
  ['circuit-open', circuitOpen],
  ['identical', compareIdentical],
  ['log-lines', logLines],
  ['start', startUp],
  ['headroom', headroom],
  ['cost-curves', costCurves],
  ['connections-curve', connectionsCurve],
  ['processes-curve', processesCurve],
]);

/** What guards every change against a gross loss. */
export const SHORT: ReadonlyMap<string, Measurement> = new Map<string, Measurement>([
  ['page-10', comparePageOf10],
  ['page-100', page100],
  ['circuit-open', circuitOpen],
]);
