import type { DisconnectSignal } from '../common/disconnect-signal';
import { AttemptFailure } from './attempt-failure';
import { type Attempt, AttemptRunner, type Call, refusalBy } from './attempt-runner';
import { backoff } from './backoff';
import { safeObserver, type CallObserver } from './call-observer';
import type { CallPolicySettings } from './call-policy.settings';
import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { ClientDisconnectedError } from './client-disconnected.error';
import { ConcurrencyLimit } from './concurrency-limit';
import { RetryBudget } from './retry-budget';
import { type InFlightCall, SingleFlight } from './single-flight';
import { UpstreamFailure } from './upstream-failure';

/** The state of the policy, for readiness details and gauges. */
export interface CallPolicyState {
  /** The state of the circuit of each operation that was called. */
  readonly circuits: Readonly<Record<string, CircuitState>>;
  /** Attempts in flight. */
  readonly inFlight: number;
  /** Attempts that wait for a slot. */
  readonly waiting: number;
}

/**
 * How an upstream is called. Outermost first: single-flight, the total deadline of each caller, retries within a budget,
 * the circuit breaker, the concurrency limit with its short queue, the deadline of each attempt.
 */
export class CallPolicy {
  private readonly singleFlight: SingleFlight;
  private readonly budget: RetryBudget;
  /** One for each operation, so that one failing operation does not refuse the others. */
  private readonly circuits = new Map<string, CircuitBreaker>();
  private readonly limit: ConcurrencyLimit;
  private readonly runner: AttemptRunner;
  private readonly observer: CallObserver;

  /** @param random from 0 up to, not including, 1 */
  constructor(
    private readonly settings: CallPolicySettings,
    observer: Partial<CallObserver> = {},
    private readonly random: () => number = Math.random,
  ) {
    this.observer = safeObserver(observer);
    this.singleFlight = new SingleFlight(settings.timeoutMs);
    this.budget = new RetryBudget(settings.retryBudget);
    this.limit = new ConcurrencyLimit(settings);
    this.runner = new AttemptRunner(this.limit, this.budget, settings.attemptTimeoutMs, this.observer);
  }

  get state(): CallPolicyState {
    const circuits = Object.fromEntries([...this.circuits].map(([operation, { state }]) => [operation, state]));
    return { circuits, inFlight: this.limit.inFlight, waiting: this.limit.waiting };
  }

  /** Whether a call with this key would join a call in flight. */
  isInFlight(key: string): boolean {
    return this.singleFlight.find(key) !== undefined;
  }

  /**
   * Makes a call, or joins an identical one. Settles within the total deadline, whatever the attempts do.
   *
   * @param operation calls of one operation share a circuit breaker
   * @param key the same only for calls with the same result, also as to who may see it; `undefined` does not share
   * @param attempt called again for each retry
   * @param caller aborted when the client disconnects
   * @throws UpstreamFailure (an AttemptFailure where an attempt was made); ClientDisconnectedError; any other error of
   *   `attempt`, unchanged
   */
  execute<T>(operation: string, key: string | undefined, attempt: Attempt<T>, caller?: DisconnectSignal): Promise<T> {
    if (caller?.aborted) {
      return Promise.reject(new ClientDisconnectedError());
    }
    const shared = this.singleFlight.find(key);
    if (shared !== undefined) {
      this.observer.shared();
      return shared.join(caller);
    }
    const circuit = this.circuitOf(operation);
    const refusal = refusalBy(circuit);
    if (refusal !== undefined) {
      this.observer.refused('circuit-open');
      return Promise.reject(refusal);
    }
    return this.singleFlight.start(key, (inFlight) => this.call(attempt, inFlight, circuit), caller);
  }

  private circuitOf(operation: string): CircuitBreaker {
    let circuit = this.circuits.get(operation);
    if (circuit === undefined) {
      const onStateChange = (state: CircuitState): void => {
        this.observer.circuitChanged(operation, state);
      };
      circuit = new CircuitBreaker(this.settings.breaker, onStateChange, this.random);
      this.circuits.set(operation, circuit);
      onStateChange(circuit.state);
    }
    return circuit;
  }

  private call<T>(attempt: Attempt<T>, inFlight: InFlightCall, circuit: CircuitBreaker): Promise<T> {
    const call: Call = { circuit, cancellation: inFlight.cancellation, attempts: 0, connectionReplaced: false };
    return this.runner.run(attempt, call).catch((error: unknown) => this.retry(error, attempt, call, inFlight));
  }

  /** Retries after a failed first attempt. A separate function, so that calls that succeed at once pay for no loop. */
  private async retry<T>(error: unknown, attempt: Attempt<T>, call: Call, inFlight: InFlightCall): Promise<T> {
    let failure = this.failureOf(error, undefined);
    for (;;) {
      await call.cancellation.pause(this.waitBeforeRetry(failure, call, inFlight.deadline));
      try {
        return await this.runner.run(attempt, call);
      } catch (next) {
        failure = this.failureOf(next, failure);
      }
    }
  }

  /** @throws an error that allows no retry; where an attempt was refused, the failure before it */
  private failureOf(error: unknown, before: AttemptFailure | undefined): AttemptFailure {
    if (error instanceof AttemptFailure) return error;
    if (!isRefusal(error)) throw error;
    this.observer.refused(error.reason);
    throw before ?? error;
  }

  /** @throws the failure, where no retry is possible */
  private waitBeforeRetry(failure: AttemptFailure, call: Call, deadline: number): number {
    call.cancellation.throwIfCancelled();
    const now = performance.now();
    const wait = backoff(this.settings.backoff, call.attempts - 1, this.random(), failure.retryAfterMs);
    const possible =
      failure.retryable &&
      call.attempts < this.settings.maxAttempts &&
      now + wait < deadline &&
      call.circuit.canAcquire(now + wait) &&
      this.budget.tryTake(now);
    if (!possible) {
      throw failure;
    }
    this.observer.retried();
    return wait;
  }
}

interface Refusal extends UpstreamFailure {
  readonly reason: 'circuit-open' | 'saturated';
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof UpstreamFailure && (error.reason === 'circuit-open' || error.reason === 'saturated');
}
