import { setTimeout as pause } from 'node:timers/promises';
import type { Question } from '../proof/load';
import type { Checks } from '../checks';
import type { Cluster } from './cluster';

/** What a scenario works with. */
export interface Stage {
  readonly cluster: Cluster;
  readonly questions: readonly Question[];
  readonly checks: Checks;
}

export const OPERATIONS = '/api/Shipping';
const RECOVERY_MS = 60_000;

/** Checks that something holds again; how soon depends on the machine. */
export async function recovers(checks: Checks, name: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + RECOVERY_MS;
  let recovered = await holds();
  while (!recovered && performance.now() <= deadline) {
    await pause(100);
    recovered = await holds();
  }
  checks.expect(name, recovered, `not within ${RECOVERY_MS} ms`);
}

export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
