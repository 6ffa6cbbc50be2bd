import { setTimeout as pause } from 'node:timers/promises';
import { checkThat, checkWithin, say } from './checks';
import { Load, type Outcome, summary } from './load';

/** A balancer in front of replicas. */
export abstract class Balancer {
  abstract readonly url: string;
  /** The path of all requests; by default that of each operation in turn. */
  readonly path: string | undefined;

  /** Its whole log. */
  abstract log(): Promise<string>;

  /** How often a text is in its log. */
  async logged(text: RegExp): Promise<number> {
    return [...(await this.log()).matchAll(text)].length;
  }

  /** Checks that it logs a text once more, or as often as `times` says, after `act`. */
  async expectLogged(name: string, text: RegExp, act: () => unknown, times = 1): Promise<void> {
    const before = await this.logged(text);
    await act();
    await checkWithin(name, async () => (await this.logged(text)) >= before + times);
  }

  /** Checks that it logs five more successful responses of a replica. */
  expectServed(replica: string, host: string): Promise<void> {
    const success = new RegExp(`"status":200,.*"address":"${host}"`, 'g');
    return this.expectLogged(`${replica} takes part`, success, () => undefined, 5);
  }
}

/** Something that happens to replicas behind a balancer under load. */
export interface Scenario<B extends Balancer> {
  readonly done: string;
  readonly holds: string;
  readonly play: (balancer: B) => Promise<unknown>;
  /** Whether a response that is not a complete 200 is allowed. */
  readonly allows?: (outcome: Outcome) => boolean;
  /** Whether a request may wait longer than two seconds, because it was sent to a process that hangs. */
  readonly mayBeLate?: boolean;
}

const RATE = 60;
const LATE_MS = 2000;
/** A request that was sent to a process that hangs is sent to another one after eight seconds. */
const HUNG_MS = 5 * LATE_MS;

/** Plays a scenario under load that begins before it and ends after it, and checks all responses. */
export async function playUnderLoad<B extends Balancer>(balancer: B, scenario: Scenario<B>): Promise<void> {
  const { done, holds, allows, mayBeLate = false, play } = scenario;
  say(`\n${done}: ${holds}`);
  const { length } = await balancer.log();
  const load = new Load(balancer.url, { ratePerSecond: RATE, path: balancer.path });
  load.start();
  try {
    await pause(1000);
    await play(balancer);
    await pause(1000);
  } finally {
    await load.stop();
  }
  const { outcomes } = load;
  const isComplete = ({ status, what }: Outcome): boolean => status === 200 && what === 'complete';
  const failed = outcomes.filter((outcome) => !isComplete(outcome) && allows?.(outcome) !== true);
  const isRight = failed.length === 0 && outcomes.length >= RATE;
  checkThat(`all responses are as they must be: ${summary(outcomes)}`, isRight, summary(failed));
  // What the balancer has logged, because on a busy machine also a replica that nothing happens to may be late.
  const waits = [...(await balancer.log()).slice(length).matchAll(/"queueMs":(\d+)/g)].map(([, wait]) => Number(wait));
  const [slowest, bound] = [Math.max(...waits), mayBeLate ? HUNG_MS : LATE_MS];
  const times = `${slowest} of ${bound} ms`;
  checkThat(`the longest wait for a replica that responds: ${times}`, slowest <= bound, times);
}
