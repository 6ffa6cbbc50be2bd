import type { Settings } from '../config/settings';
import { Attempt, type SendOnce } from './attempt';
import { type AttemptResult, CircuitBreaker, type CircuitState } from './circuit-breaker';
import { ConcurrencyLimit } from './concurrency-limit';
import { PlainSignal, type Signal, startDeadline } from './deadline';
import { RetryBudget } from './rolling-count';
import {
  type CallOutcome,
  CLIENT_DISCONNECTED,
  failureOfStatus,
  outcomeOf,
  type StatusAndHeaders,
  timedOut,
  UpstreamFailure,
} from './upstream-failure';

export const POLICY_EVENTS = ['retried', 'connection-replaced', 'refused-circuit-open', 'refused-saturated'] as const;
export type PolicyEvent = (typeof POLICY_EVENTS)[number];

/** Receives the measurements of calls, for example to make metrics of them; the call policy itself has no metrics. */
export interface CallObserver {
  attemptSettled(outcome: CallOutcome, durationMs: number): void;
  queued(waitMs: number): void;
  event(event: PolicyEvent): void;
}

/** Makes calls with deadlines, retries, a circuit breaker for each operation, and a limit of requests in flight. */
export class CallPolicy {
  readonly limit: ConcurrencyLimit;
  readonly budget = new RetryBudget();
  private readonly circuits = new Map<string, CircuitBreaker>();

  constructor(
    readonly settings: Settings['external'],
    readonly observer: CallObserver,
  ) {
    this.limit = new ConcurrencyLimit(settings);
  }

  /** The state of each operation's circuit, by the name of the operation, and how many calls are in flight and wait. */
  get state(): { circuits: Record<string, CircuitState>; inFlight: number; waiting: number } {
    const now = performance.now();
    const circuits = [...this.circuits].map(([operation, circuit]) => [operation, circuit.stateAt(now)] as const);
    return { circuits: Object.fromEntries(circuits), inFlight: this.limit.inFlight, waiting: this.limit.queue.size };
  }

  /**
   * Makes a call, whose requests `use` sends by {@link Call.request}.
   *
   * @throws UpstreamFailure; ClientDisconnectedError; any other error of `use`, unchanged
   */
  execute<Result>(operation: string, use: (call: Call) => Promise<Result>, client?: Signal): Promise<Result> {
    let circuit = this.circuits.get(operation);
    if (circuit === undefined) {
      circuit = new CircuitBreaker(this.settings.breakerOpenMs);
      this.circuits.set(operation, circuit);
    }
    return new Call(operation, circuit, this, client).run(use);
  }
}

/**
 * A call of an operation, which sends one request after the other to the upstream. All of them have to end before the
 * deadline of the call; each has a slot, the circuit, retries and the deadline of an attempt for itself.
 */
export class Call {
  private readonly signal = new PlainSignal();
  private readonly deadline: number;
  private readonly endDeadline: () => void;
  /** What is missing where the deadline of the call passes between two attempts (D81). */
  private missing = 'result';
  private attempt: Attempt | undefined;
  /**
   * The attempt that got the newest response. Whether the response is of use, which the circuit has to know (D57),
   * shows when the call returns, fails or sends its next request.
   */
  private unread: Attempt | undefined;
  private mayRepeat = true;

  constructor(
    private readonly operation: string,
    private readonly circuit: CircuitBreaker,
    private readonly policy: CallPolicy,
    client: Signal | undefined,
  ) {
    const { timeoutMs } = policy.settings;
    this.deadline = performance.now() + timeoutMs;
    this.endDeadline = startDeadline(timeoutMs, client, (passed) => {
      this.end(passed ? this.timeOut() : CLIENT_DISCONNECTED);
    });
    if (client?.aborted === true) this.end(CLIENT_DISCONNECTED);
  }

  /** Settles within the deadline of the call and when its client disconnects, whatever `use` does. */
  run<Result>(use: (call: Call) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.signal.throwIfAborted();
      this.signal.addEventListener('abort', () => {
        reject(this.signal.reason);
      });
      use(this).then(
        (result) => {
          resolve(result);
          this.settle('success', 'success');
          this.end(CLIENT_DISCONNECTED);
        },
        (error: unknown) => {
          this.end(error as Error);
        },
      );
    });
  }

  /**
   * Sends a request, again where it failed in a way that may pass; returns the last response, whatever its status is.
   *
   * @throws UpstreamFailure where there is none; ClientDisconnectedError; any other error of `send`, unchanged
   */
  async request<Response extends StatusAndHeaders>(send: SendOnce<Response>): Promise<Response> {
    this.signal.throwIfAborted();
    this.settle('success', 'success');
    const { observer } = this.policy;
    for (let attempts = 1; ; attempts += 1) {
      let outcome: Response | UpstreamFailure;
      try {
        outcome = await this.attemptInSlot(send, attempts);
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error;
        const { reason } = error;
        if (reason === 'circuit-open' || reason === 'saturated') observer.event(`refused-${reason}`);
        outcome = error;
      }
      const failure = outcome instanceof UpstreamFailure ? outcome : failureOfStatus(outcome);
      const retryAt = failure && this.timeOfRetry(failure, attempts);
      if (retryAt === undefined) {
        if (outcome instanceof UpstreamFailure) throw outcome;
        return outcome;
      }
      observer.event('retried');
      await this.waitUntil(retryAt);
    }
  }

  /** Makes an attempt as soon as the limit of calls in flight has a slot for it. */
  private async attemptInSlot<Response extends StatusAndHeaders>(send: SendOnce<Response>, attempts: number) {
    const { circuit, operation, signal, deadline } = this;
    const { limit, observer, budget, settings } = this.policy;
    const since = performance.now();
    circuit.throwIfRefusing(since);
    const slot = limit.acquire(operation, signal);
    if (slot !== undefined) {
      this.missing = 'slot';
      await slot.finally(() => {
        observer.queued(performance.now() - since);
      });
    }
    try {
      const now = performance.now();
      if (now >= deadline) this.end(this.timeOut());
      signal.throwIfAborted();
      // The circuit may have opened while the call waited for its slot; `acquire` then throws.
      const attempt = new Attempt(circuit, circuit.acquire(now), settings.attemptTimeoutMs);
      if (attempts === 1) budget.calls.add(now);
      this.attempt = attempt;
      this.missing = 'result';
      const response = await attempt.run(send, (error) => attempts === 1 && this.repeatsAfter(error));
      attempt.end();
      this.unread = attempt;
      const failure = failureOfStatus(response);
      if (failure !== undefined) this.settle(failure, failure.reason);
      return response;
    } catch (error) {
      this.attempt?.end();
      this.unread = this.attempt;
      const counts = error instanceof UpstreamFailure && error.countsAgainstCircuit;
      this.settle(counts ? error : 'none', outcomeOf(error));
      throw error;
    } finally {
      this.attempt = undefined;
      limit.release(operation);
    }
  }

  /**
   * Waits, and throws where the call has ended or ends meanwhile. A timer of Node may fire some milliseconds early, and
   * the circuit would then refuse the attempt.
   */
  private async waitUntil(time: number): Promise<void> {
    this.signal.throwIfAborted();
    for (let ms = time - performance.now(); ms > 0; ms = time - performance.now()) {
      await new Promise((resolve) => startDeadline(ms, this.signal, resolve));
      this.signal.throwIfAborted();
    }
  }

  /** @returns when the next attempt is made; `undefined` where no retry is possible */
  private timeOfRetry(failure: UpstreamFailure, attempts: number): number | undefined {
    const { settings, budget } = this.policy;
    if (!failure.retryable || attempts >= settings.maxAttempts) return undefined;
    const now = performance.now();
    const retryAt = now + backoff(attempts - 1, Math.random(), failure.retryAfterMs);
    const isInTime = retryAt < this.deadline && this.circuit.canAcquire(retryAt);
    return isInTime && budget.tryTake(now) ? retryAt : undefined;
  }

  /**
   * Whether a first attempt that has lost its connection before the response began is repeated at once on a new one: an
   * upstream that restarts closes its open connections, and no client should get an error for that. It is repeated at
   * most once a call (D61).
   */
  private repeatsAfter(error: unknown): boolean {
    if (!this.mayRepeat || !(error instanceof UpstreamFailure) || !error.connectionLost) return false;
    this.mayRepeat = false;
    this.policy.observer.event('connection-replaced');
    return true;
  }

  /** Gives the circuit and the observer the result of the newest attempt, unless they have it already. */
  private settle(result: AttemptResult, outcome: CallOutcome): void {
    const { unread } = this;
    this.unread = undefined;
    if (unread === undefined) return;
    this.circuit.settle(unread.permit, result, performance.now());
    this.policy.observer.attemptSettled(outcome, unread.durationMs);
  }

  /** A deadline that passes between two attempts does not count against the upstream (D57). */
  private timeOut(): UpstreamFailure {
    const time = `the ${this.policy.settings.timeoutMs} ms of the call`;
    return this.attempt?.timeOut(time) ?? timedOut(`no ${this.missing} within ${time}`, true);
  }

  /** Ends what is under way, and keeps the call from sending more. */
  private end(error: Error): void {
    if (this.signal.aborted) return;
    this.endDeadline();
    this.settle('none', outcomeOf(error));
    this.signal.abort(error);
    this.attempt?.abort(error);
  }
}

const BACKOFF_BASE_MS = 100;
const BACKOFF_CAP_MS = 1000;

/** The milliseconds before a retry, with full jitter; `retry` is 0 for the first, `random` at least 0 and below 1. */
export function backoff(retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** retry));
}
