import { getEventListeners } from 'node:events';
import { readSettings } from '../../src/config/settings';
import type { Attempt, CallObserver, CallPolicySettings } from '../../src/resilience/call-policy';

/** The settings of a call policy where nothing is configured. */
export const POLICY_SETTINGS: CallPolicySettings = readSettings({}).external;

/** A client that disconnects by `abort`. */
export class Client extends AbortController {
  /** Number of those that wait for its disconnect. */
  get listeners(): number {
    return getEventListeners(this.signal, 'abort').length;
  }
}

/** An observer of a call policy that records the events it gets. */
export function spyingObserver(): { [Method in keyof CallObserver]: jest.Mock } {
  return { attemptSettled: jest.fn(), queued: jest.fn(), event: jest.fn() };
}

type Script = jest.Mock<Promise<string>, Parameters<Attempt<string>>> & { times: number[] };

/**
 * An attempt that has one outcome after the other, repeats the last one, and records the times at which it was made.
 */
export function script(...outcomes: (string | Error)[]): Script {
  const times: number[] = [];
  const attempt = jest.fn<Promise<string>, Parameters<Attempt<string>>>(() => {
    const outcome = outcomes[Math.min(times.push(performance.now()), outcomes.length) - 1];
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(String(outcome));
  });
  return Object.assign(attempt, { times });
}

/** An attempt that gets no response; it rejects as soon as it is aborted. */
export const hang: Attempt<never> = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
