import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { STRICT_STATUS } from '../../test/faults/support/fault-responses';
import { validResponse } from '../../testing/upstream/responses';
import { until } from '../checks';
import { Load, type Outcome, summary } from '../load';
import type { Scenario, Stage } from './scenarios';

/** The deadline of a call, and a second for a busy machine. */
const LONGEST_RESPONSE_MS = 2_000;
const LONGEST_PROBE_MS = 1_000;
const LONGEST_RECOVERY_MS = 5_000;
/** Requests a second of other clients. */
export const RATE = 80;
const PROBE_RATE = 20;
const PATIENCE_MS = 60_000;
const WARM_UP_MS = 1_000;
/** The status of a client that disconnected. */
const LEFT = -1;
const FAULT_MS = 2_400;
const STEADY_MS = 400;
/** This process is clients and external system, too: an event-loop lag over these milliseconds may cause time-outs. */
const TIMELY_MS = 200;

/** What clients saw of one scenario. */
export interface Observation {
  /** Outcomes of the requests that were sent while the fault lasted. */
  readonly outcomes: readonly Outcome[];
  readonly probes: readonly Outcome[];
  readonly slowestMs: number;
  readonly recoveryMs: number;
  /** The event-loop lag of this process. */
  readonly lagMs: number;
}

/** Plays a scenario under load that begins before it and ends after it. */
export async function observe(scenario: Scenario, stage: Stage): Promise<Observation> {
  const load = new Load(stage.service.url, { ratePerSecond: RATE, oneLeavesOf: scenario.oneLeavesOf });
  const probes = new Load(stage.management, { ratePerSecond: PROBE_RATE, path: '/health/ready' });
  const lag = monitorEventLoopDelay({ resolution: 10 });
  load.start();
  await pause(WARM_UP_MS);
  lag.enable();
  probes.start();
  const begun = performance.now();
  await scenario.begin(stage);
  // A request from before this time may have had its response before the fault began.
  const from = performance.now();
  await pause(FAULT_MS);
  // On a slow machine, a response may take longer than that.
  await until(() => load.outcomes.some(({ sentAt }) => sentAt >= from), PATIENCE_MS);
  const to = performance.now();
  await scenario.end?.(stage);
  stage.upstream.respondWith(validResponse);
  const recoveryMs = await recovery(load, to);
  await Promise.all([probes.stop(), load.stop()]);
  const sent = load.outcomes.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  return {
    // A request that outlasted the fault may rightly have got a complete response.
    outcomes: sent.filter(({ endedAt, what }) => endedAt < to || what !== 'complete'),
    probes: probes.outcomes,
    slowestMs: slowest(load.outcomes.filter(({ sentAt }) => sentAt >= begun)),
    recoveryMs,
    lagMs: lag.max / 1e6,
  };
}

/** The common rules that were broken. Twice the event-loop lag of this process is added to the bounds of times. */
export function brokenRules(seen: Observation, scenario: Scenario): string[] {
  const { outcomes, probes, lagMs } = seen;
  const wrong = outcomes.filter((outcome) => !isAllowed(outcome, scenario, lagMs > TIMELY_MS));
  const failedProbes = probes.filter(({ status }) => status !== 200);
  const broken: string[] = [];
  if (outcomes.length === 0) broken.push('no response');
  if (wrong.length > 0) broken.push(`responses that are not allowed: ${summary(wrong)}`);
  if (failedProbes.length > 0) broken.push(`failed probes: ${summary(failedProbes)}`);
  const times = [
    ['a response', seen.slowestMs, LONGEST_RESPONSE_MS],
    ['a probe', slowest(probes), LONGEST_PROBE_MS],
    ['recovery', seen.recoveryMs, LONGEST_RECOVERY_MS],
  ] as const;
  for (const [what, ms, most] of times) if (ms > most + 2 * lagMs) broken.push(`${what} took ${ms} ms`);
  return broken;
}

/** The milliseconds of the slowest response. */
export function slowest(outcomes: readonly Outcome[]): number {
  return Math.max(0, ...outcomes.map(({ sentAt, endedAt }) => endedAt - sentAt));
}

/** Milliseconds from `since` until the first request after which all responses were complete. */
async function recovery(load: Load, since: number): Promise<number> {
  while (performance.now() < since + 2 * LONGEST_RECOVERY_MS) {
    await pause(20);
    const sent = load.outcomes.filter(({ sentAt, status }) => sentAt >= since && status !== LEFT);
    const first = sent[sent.findLastIndex(({ what, status }) => what !== 'complete' || status !== 200) + 1];
    if (first !== undefined && performance.now() > first.sentAt + STEADY_MS) return first.sentAt - since;
  }
  return Infinity;
}

function isAllowed(outcome: Outcome, { outcomes, oneLeavesOf }: Scenario, isLate: boolean): boolean {
  const { path, strict, status, what } = outcome;
  if (status === LEFT) return oneLeavesOf !== undefined;
  const isOfLateness = isLate && ['upstream-timeout', 'saturated', 'circuit-open'].includes(what);
  if (!outcomes.includes(what) && !isOfLateness) return false;
  if (what === 'complete') return status === 200;
  if (what === 'shipping-not-found') return status === 404;
  if (strict) return status === STRICT_STATUS[what as keyof typeof STRICT_STATUS];
  return status === (/Details|PagedList/.test(path) ? 200 : 500);
}
