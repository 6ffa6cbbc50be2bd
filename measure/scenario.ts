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
  /** Whether a response may take longer than two seconds, because its request was sent to a process that hangs. */
  readonly mayBeLate?: boolean;
}

const RATE = 60;
const LATE_MS = 2000;

/** Plays a scenario under load that begins before it and ends after it, and checks all responses. */
export async function playUnderLoad(checks: Checks, url: string, scenario: Scenario, path?: string): Promise<void> {
  const { done, holds, allows, mayBeLate = false, play } = scenario;
  say(`\n${done}: ${holds}`);
  const load = new Load(url, { ratePerSecond: RATE, path });
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
  const slowest = Math.max(...outcomes.map(({ sentAt, endedAt }) => endedAt - sentAt));
  // A request that is sent to a process that hangs is sent to another one after eight seconds.
  const bound = mayBeLate ? 5 * LATE_MS : LATE_MS;
  checks.expect(`no response takes longer than ${bound} ms`, slowest <= bound, `${slowest.toFixed()} ms`);
}
