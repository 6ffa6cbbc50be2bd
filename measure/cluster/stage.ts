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

/** Whether it holds again within a time that no machine needs. */
export async function recovers(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + RECOVERY_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) return false;
    await pause(100);
  }
  return true;
}

export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
