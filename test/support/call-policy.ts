import { getEventListeners } from 'node:events';
import { readSettings, type Settings } from '../../src/config/settings';
import type { SendOnce } from '../../src/resilience/attempt';
import { type Call, type CallObserver, CallPolicy, type PolicyEvent } from '../../src/resilience/call-policy';
import { type FailureTraits, UpstreamFailure } from '../../src/resilience/upstream-failure';
import { useFakeTimers } from './fake-timers';

/** The settings of a call policy where nothing is configured. */
export const POLICY_SETTINGS: Settings['external'] = readSettings({}).external;

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

/** What came of a call; set as soon as it has settled. */
export interface Outcome {
  value?: unknown;
  error?: unknown;
}

/** A response that comes after so many milliseconds. */
export const later = (ms: number, data = 'late'): Promise<TestResponse> =>
  new Promise((resolve) => setTimeout(resolve, ms, ok(data)));

/** A failure that is retried and counts for the circuit, unless the traits say otherwise. */
export function failure(traits: FailureTraits = {}, message = 'status 503'): UpstreamFailure {
  return new UpstreamFailure('upstream-error', message, { retryable: true, countsAgainstCircuit: true, ...traits });
}

/** A policy under fake timers and without jitter for each test, which may configure another one. */
export class TestPolicy {
  readonly pass = useFakeTimers();
  observer = spyingObserver();
  policy = new CallPolicy(POLICY_SETTINGS, this.observer);

  constructor() {
    beforeEach(() => {
      jest.spyOn(Math, 'random').mockReturnValue(0.5);
      this.configure();
    });
  }

  readonly configure = (settings: Partial<Settings['external']> = {}): void => {
    this.observer = spyingObserver();
    this.policy = new CallPolicy({ ...POLICY_SETTINGS, ...settings }, this.observer);
  };

  readonly callOf = (use: (call: Call) => Promise<unknown>, client?: Client): Outcome => {
    const outcome: Outcome = {};
    this.policy.execute('paged', use, client?.signal).then(
      (value) => (outcome.value = value),
      (error: unknown) => (outcome.error = error),
    );
    return outcome;
  };

  /** Starts a call with one request, whose response is of use. */
  readonly call = (send: SendOnce<TestResponse>, client?: Client): Outcome =>
    this.callOf(async (call) => (await call.request(send)).data, client);

  readonly timesOf = (event: PolicyEvent): number =>
    this.observer.event.mock.calls.filter(([each]) => each === event).length;

  /** Makes calls that fail; by default, as many as open the circuit. */
  readonly fail = async (times = 20): Promise<void> => {
    for (let time = 0; time < times; time += 1) this.call(script(failure({ retryable: false })));
    await this.pass(0);
  };
}
