import { getEventListeners } from 'node:events';
import { readSettings } from '../../src/config/settings';
import type { SendOnce } from '../../src/resilience/attempt';
import type { CallObserver, CallPolicySettings } from '../../src/resilience/call';

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

/** A response of which tests look at `data`. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data?: unknown;
}
export const ok = (data: unknown): TestResponse => ({ status: 200, headers: {}, data });

type Script = jest.Mock<Promise<TestResponse>, Parameters<SendOnce<TestResponse>>> & { times: number[] };

/**
 * A request that has one outcome after the other, repeats the last one, and records the times at which it was sent. A
 * text is the data of a 200.
 */
export function script(...outcomes: (string | Error | TestResponse)[]): Script {
  const times: number[] = [];
  const send = jest.fn<Promise<TestResponse>, Parameters<SendOnce<TestResponse>>>(() => {
    const outcome = outcomes[Math.min(times.push(performance.now()), outcomes.length) - 1];
    if (outcome instanceof Error) return Promise.reject(outcome);
    return Promise.resolve(typeof outcome === 'object' ? outcome : ok(outcome));
  });
  return Object.assign(send, { times });
}

/** A request that gets no response; it rejects as soon as it is aborted. */
export const hang: SendOnce<never> = (attempt) =>
  new Promise((_, reject) => {
    attempt.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
