import type { DisconnectSignal } from '../common/disconnect-signal';
import { AttemptRunner, refusalBy, type Attempt, type Call, type CallObserver } from './attempt-runner';
import { CircuitBreaker, type BreakerSettings, type CircuitState } from './circuit-breaker';
import { ConcurrencyLimit, type ConcurrencyLimitSettings } from './concurrency-limit';
import { backoff, RetryBudget, type BackoffSettings, type RetryBudgetSettings } from './retries';
import { SingleFlight, type InFlightCall } from './single-flight';
import { AttemptFailure, ClientDisconnectedError, UpstreamFailure } from './upstream-failure';

/** Times are in milliseconds, above 0 and at most 2147483647, the longest time of a timer. */
export interface CallPolicySettings extends ConcurrencyLimitSettings {
  /** The whole call of one caller, retries and waits included. */
  readonly timeoutMs: number;
  /** One attempt, its free replacement included. */
  readonly attemptTimeoutMs: number;
  /** The first attempt included. */
  readonly maxAttempts: number;
  readonly breaker: BreakerSettings;
  readonly retryBudget: RetryBudgetSettings;
  readonly backoff: BackoffSettings;
}

/** What deployments configure, see {@link CallPolicySettings}. */
export interface ConfiguredCallPolicy extends Pick<
  CallPolicySettings,
  'timeoutMs' | 'attemptTimeoutMs' | 'maxAttempts' | 'maxConcurrent' | 'maxQueue'
> {
  readonly breakerOpenMs: number;
}

/** The settings of a deployment, with the rules that are the same in each. */
export function callPolicySettings(configured: ConfiguredCallPolicy): CallPolicySettings {
  const { timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue, breakerOpenMs } = configured;
  return {
    ...{ timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue },
    queueTimeoutMs: 250,
    movingQueueTimeoutMs: 1000,
    breaker: {
      windowMs: 10_000,
      minimumCalls: 20,
      failureRatio: 0.5,
      openMs: breakerOpenMs,
      maxOpenMs: 60_000,
      jitter: 0.2,
      maxProbes: 1,
    },
    retryBudget: { ratio: 0.2, windowMs: 10_000, minimum: 3 },
    backoff: { baseMs: 100, capMs: 1000 },
  };
}

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

  constructor(
    private readonly settings: CallPolicySettings,
    private readonly observer: CallObserver,
  ) {
    this.singleFlight = new SingleFlight(settings.timeoutMs);
    this.budget = new RetryBudget(settings.retryBudget);
    this.limit = new ConcurrencyLimit(settings);
    this.runner = new AttemptRunner(this.limit, this.budget, settings.attemptTimeoutMs, observer);
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
   * @param key the same only for calls with the same result, also as to who may see it
   * @param attempt called again for each retry
   * @param caller aborted when the client disconnects
   * @throws UpstreamFailure (an AttemptFailure where an attempt was made); ClientDisconnectedError; any other error of
   *   `attempt`, unchanged
   */
  execute<T>(operation: string, key: string, attempt: Attempt<T>, caller?: DisconnectSignal): Promise<T> {
    if (caller?.aborted) return Promise.reject(new ClientDisconnectedError());
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
      circuit = new CircuitBreaker(this.settings.breaker);
      this.circuits.set(operation, circuit);
    }
    return circuit;
  }

  private async call<T>(attempt: Attempt<T>, inFlight: InFlightCall, circuit: CircuitBreaker): Promise<T> {
    const call: Call = { circuit, cancellation: inFlight.cancellation, attempts: 0, connectionReplaced: false };
    let failure: AttemptFailure | undefined;
    for (;;) {
      try {
        return await this.runner.run(attempt, call);
      } catch (error) {
        failure = this.failureOf(error, failure);
      }
      await call.cancellation.pause(this.waitBeforeRetry(failure, call, inFlight.deadline));
    }
  }

  /** @throws an error that allows no retry; where an attempt was refused, the failure before it */
  private failureOf(error: unknown, before: AttemptFailure | undefined): AttemptFailure {
    if (error instanceof AttemptFailure) return error;
    if (!isLocalRefusal(error)) throw error;
    this.observer.refused(error.reason);
    throw before ?? error;
  }

  /** @throws the failure, where no retry is possible */
  private waitBeforeRetry(failure: AttemptFailure, call: Call, deadline: number): number {
    call.cancellation.throwIfCancelled();
    const now = performance.now();
    const wait = backoff(this.settings.backoff, call.attempts - 1, Math.random(), failure.retryAfterMs);
    const possible =
      failure.retryable &&
      call.attempts < this.settings.maxAttempts &&
      now + wait < deadline &&
      call.circuit.canAcquire(now + wait) &&
      this.budget.tryTake(now);
    if (!possible) throw failure;
    this.observer.retried();
    return wait;
  }
}

interface LocalRefusal extends UpstreamFailure {
  readonly reason: 'circuit-open' | 'saturated';
}

function isLocalRefusal(error: unknown): error is LocalRefusal {
  return error instanceof UpstreamFailure && (error.reason === 'circuit-open' || error.reason === 'saturated');
}
