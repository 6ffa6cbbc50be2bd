import { setTimeout as pause } from 'node:timers/promises';
import { type Checks, say } from './checks';
import { Load, type Outcome, summary } from './load';

/** Something that happens to replicas behind a balancer under load. */
export interface Scenario {
  readonly done: string;
  readonly holds: string;
  readonly play: () => Promise<unknown>;
  /** Whether a response that is not a complete 200 is allowed. */
  readonly allows?: (outcome: Outcome) => boolean;
  /** Whether a request may wait longer than two seconds, because it was sent to a process that hangs. */
  readonly mayBeLate?: boolean;
}

/** A balancer under load. */
export interface Target {
  readonly url: string;
  /** The path of all requests; by default that of each operation in turn. */
  readonly path?: string;
  /** Its whole log. */
  readonly log: () => Promise<string>;
}

const RATE = 60;
const LATE_MS = 2000;
/** A request that was sent to a process that hangs is sent to another one after eight seconds. */
const HUNG_MS = 5 * LATE_MS;

/** Plays a scenario under load that begins before it and ends after it, and checks all responses. */
export async function playUnderLoad(checks: Checks, target: Target, scenario: Scenario): Promise<void> {
  const { done, holds, allows, mayBeLate = false, play } = scenario;
  say(`\n${done}: ${holds}`);
  const { length } = await target.log();
  const load = new Load(target.url, { ratePerSecond: RATE, path: target.path });
  load.start();
  try {
    await pause(1000);
    await play();
    await pause(1000);
  } finally {
    await load.stop();
  }
  const { outcomes } = load;
  const isComplete = ({ status, what }: Outcome): boolean => status === 200 && what === 'complete';
  const failed = outcomes.filter((outcome) => !isComplete(outcome) && allows?.(outcome) !== true);
  const isRight = failed.length === 0 && outcomes.length >= RATE;
  checks.expect(`all responses are as they must be: ${summary(outcomes)}`, isRight, summary(failed));
  // What the balancer has logged, because on a busy machine also a replica that nothing happens to may be late.
  const waits = [...(await target.log()).slice(length).matchAll(/"queueMs":(\d+)/g)].map(([, wait]) => Number(wait));
  const [slowest, bound] = [Math.max(...waits), mayBeLate ? HUNG_MS : LATE_MS];
  const times = `${slowest} of ${bound} ms`;
  checks.expect(`the longest wait for a replica that responds: ${times}`, slowest <= bound, times);
}
