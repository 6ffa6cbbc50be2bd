import type { DepartureSignal } from '../../model/call-context';
import { ExternalSystemFailure } from '../../model/external-system-failure';
import { AttemptFailure } from './attempt-failure';
import { type Attempt, AttemptRunner, type Call } from './attempt-runner';
import { backoff } from './backoff';
import type { CallObserver } from './call-observer';
import type { CallPolicySettings } from './call-policy.settings';
import { CallerLeft } from './caller-left';
import { CircuitBreaker, type CircuitState } from './circuit-breaker';
import { ConcurrencyLimit } from './concurrency-limit';
import { RetryBudget } from './retry-budget';
import { type Flight, SingleFlight } from './single-flight';

/** How the policy stands, for readiness details and gauges. */
export interface CallPolicyState {
  readonly circuit: CircuitState;
  /** Attempts in flight at the external system. */
  readonly inFlight: number;
  /** Attempts waiting for a place. */
  readonly waiting: number;
}

/**
 * How the external system is called. Outermost first: identical calls in flight share one; each caller has a total
 * deadline; failed attempts are made again within a budget; the circuit stops calls to a system that mostly fails; a
 * limit keeps the number in flight down, with a short queue; each attempt has its own deadline.
 */
export class CallPolicy {
  private readonly flights: SingleFlight;
  private readonly budget: RetryBudget;
  private readonly circuit: CircuitBreaker;
  private readonly limit: ConcurrencyLimit;
  private readonly runner: AttemptRunner;

  /** @param random from 0 up to, not including, 1. */
  constructor(
    private readonly settings: CallPolicySettings,
    private readonly observer: Partial<CallObserver> = {},
    private readonly random: () => number = Math.random,
  ) {
    this.flights = new SingleFlight(settings.timeoutMs);
    this.budget = new RetryBudget(settings.retryBudget);
    this.circuit = new CircuitBreaker(
      settings.breaker,
      (state) => {
        observer.circuitChanged?.(state);
      },
      random,
    );
    this.limit = new ConcurrencyLimit(settings);
    this.runner = new AttemptRunner(this.circuit, this.limit, this.budget, settings.attemptTimeoutMs, observer);
  }

  get state(): CallPolicyState {
    return { circuit: this.circuit.state, inFlight: this.limit.inFlight, waiting: this.limit.waiting };
  }

  /** Whether a call with this key would join one in flight. */
  isInFlight(key: string): boolean {
    return this.flights.has(key);
  }

  /**
   * Makes a call, or joins an identical one. Settles within the total deadline, whatever the attempts do.
   *
   * @param key the same only for calls that must get the same answer, also as to who may see it; `undefined` shares
   *   with nobody.
   * @param attempt called again for each retry.
   * @param caller aborted when the caller no longer wants the answer.
   * @throws ExternalSystemFailure (an AttemptFailure where an attempt was made); CallerLeft; anything else that
   *   `attempt` threw, unchanged.
   */
  execute<T>(key: string | undefined, attempt: Attempt<T>, caller?: DepartureSignal): Promise<T> {
    if (caller?.aborted) {
      return Promise.reject(new CallerLeft());
    }
    if (this.flights.has(key)) {
      this.observer.shared?.();
    } else {
      const refusal = this.runner.refusal();
      if (refusal !== undefined) {
        this.observer.refused?.('circuit-open');
        return Promise.reject(refusal);
      }
    }
    return this.flights.run(key, (flight) => this.call(attempt, flight), caller);
  }

  private call<T>(attempt: Attempt<T>, flight: Flight): Promise<T> {
    const call: Call = { cancellation: flight.cancellation, attempts: 0, connectionReplaced: false };
    return this.runner.run(attempt, call).catch((error: unknown) => this.retry(error, attempt, call, flight));
  }

  /** After a first attempt that did not succeed; apart from it, so that those that do pay for no loop. */
  private async retry<T>(error: unknown, attempt: Attempt<T>, call: Call, flight: Flight): Promise<T> {
    let failure = this.failureOf(error, undefined);
    for (;;) {
      await call.cancellation.pause(this.waitBeforeRetry(failure, call, flight.deadline));
      try {
        return await this.runner.run(attempt, call);
      } catch (next) {
        failure = this.failureOf(next, failure);
      }
    }
  }

  /** @throws whatever there can be no retry after; where an attempt was refused, the failure before it. */
  private failureOf(error: unknown, before: AttemptFailure | undefined): AttemptFailure {
    if (error instanceof AttemptFailure) return error;
    if (!isRefusal(error)) throw error;
    this.observer.refused?.(error.reason);
    throw before ?? error;
  }

  /** @throws the failure, where there will be no retry. */
  private waitBeforeRetry(failure: AttemptFailure, call: Call, deadline: number): number {
    call.cancellation.throwIfCancelled();
    const now = performance.now();
    const wait = backoff(this.settings.backoff, call.attempts - 1, this.random(), failure.retryAfterMs);
    const possible =
      failure.retryable &&
      call.attempts < this.settings.maxAttempts &&
      now + wait < deadline &&
      this.circuit.admits(now + wait) &&
      this.budget.tryTake(now);
    if (!possible) {
      throw failure;
    }
    this.observer.retried?.();
    return wait;
  }
}

interface Refusal extends ExternalSystemFailure {
  readonly reason: 'circuit-open' | 'saturated';
}

function isRefusal(error: unknown): error is Refusal {
  return error instanceof ExternalSystemFailure && (error.reason === 'circuit-open' || error.reason === 'saturated');
}
