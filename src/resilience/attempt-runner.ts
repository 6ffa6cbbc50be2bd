import { Cancellation } from './cancellation';
import type { AttemptResult, CircuitBreaker, Permit } from './circuit-breaker';
import type { ConcurrencyLimit } from './concurrency-limit';
import { Deadline } from './deadline';
import { timedOut } from './http-failures';
import type { RetryBudget } from './retries';
import { AttemptFailure, ClientDisconnectedError, UpstreamFailure, type FailureReason } from './upstream-failure';

/** How an attempt ended. `internal`: it threw an error that is no failure of the upstream. */
export type AttemptOutcome = 'success' | 'caller-left' | FailureReason;

/** Receives the events of the call policy, for metrics. Durations are in milliseconds. */
export interface CallObserver {
  /** One attempt ended: it succeeded, failed, passed its deadline or was cancelled. */
  attemptSettled(outcome: AttemptOutcome, durationMs: number): void;
  /** A kept-alive connection was found dead and the attempt was sent again. */
  connectionReplaced(): void;
  /** A failed attempt is retried. */
  retried(): void;
  /** An attempt that had to queue acquired its slot or gave up waiting. */
  queued(waitMs: number): void;
  /** An attempt was refused without reaching the upstream. */
  refused(reason: 'circuit-open' | 'saturated'): void;
  /** A call joined an identical one in flight. */
  shared(): void;
}

/** One attempt to call the upstream. It must settle soon after its cancellation: until then it counts as in flight. */
export type Attempt<T> = (cancellation: Cancellation) => Promise<T>;

/** The state that the attempts of one call share. */
export interface Call {
  readonly circuit: CircuitBreaker;
  readonly cancellation: Cancellation;
  /** Attempts that were sent to the upstream. */
  attempts: number;
  connectionReplaced: boolean;
}

/** Runs single attempts: circuit breaker, then concurrency limit, then attempt deadline. */
export class AttemptRunner {
  constructor(
    private readonly limit: ConcurrencyLimit,
    private readonly budget: RetryBudget,
    private readonly timeoutMs: number,
    private readonly observer: CallObserver,
  ) {}

  /**
   * Throws or rejects with an AttemptFailure; another error of the attempt; UpstreamFailure `circuit-open` or `saturated`
   * where the attempt was refused; the reason of the cancellation.
   */
  run<T>(attempt: Attempt<T>, call: Call): Promise<T> {
    call.cancellation.throwIfCancelled();
    const refusal = refusalBy(call.circuit);
    if (refusal !== undefined) throw refusal;
    const queued = this.limit.acquire(call.cancellation);
    return queued === undefined ? this.start(attempt, call) : this.startWhenAcquired(queued, attempt, call);
  }

  private async startWhenAcquired<T>(queued: Promise<void>, attempt: Attempt<T>, call: Call): Promise<T> {
    const since = performance.now();
    try {
      await queued;
    } finally {
      this.observer.queued(performance.now() - since);
    }
    return this.start(attempt, call);
  }

  /** Acquires the permit after the slot: the circuit may have opened during the wait. */
  private acquirePermit({ cancellation, circuit }: Call): Permit {
    try {
      cancellation.throwIfCancelled();
      return circuit.acquire(performance.now());
    } catch (error) {
      this.limit.release();
      throw error;
    }
  }

  private start<T>(attempt: Attempt<T>, call: Call): Promise<T> {
    const permit = this.acquirePermit(call);
    call.attempts += 1;
    if (call.attempts === 1) {
      this.budget.countCall(performance.now());
    }
    const cancellation = new Cancellation();
    return new Promise<T>((resolve, reject) => {
      const conclude = this.supervise(call, permit, (reason) => {
        reject(reason);
        cancellation.cancel(reason);
      });
      const succeed = (value: T): void => {
        conclude('success', 'success');
        this.limit.release();
        resolve(value);
      };
      const fail = (error: unknown): void => {
        conclude(resultOf(error), error instanceof UpstreamFailure ? error.reason : 'internal');
        this.limit.release();
        // Its other requests end with it.
        cancellation.cancel(error instanceof Error ? error : timedOut());
        // Rejects with what was thrown, error or not.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      };
      rejectOnThrow(() => attempt(cancellation)).then(succeed, (error: unknown) => {
        if (!this.mayReplace(error, call, permit, cancellation)) {
          fail(error);
          return;
        }
        call.connectionReplaced = true;
        this.observer.connectionReplaced();
        rejectOnThrow(() => attempt(cancellation)).then(succeed, fail);
      });
    });
  }

  /**
   * Cancels the attempt at its deadline or when the call is cancelled. Its slot is held until it has settled. The permit
   * is returned once: when the attempt settles or its deadline passes. A probe whose client disconnected therefore counts
   * as a probe while it is in flight, and no longer.
   *
   * @returns to be called when the attempt settles
   */
  private supervise(
    { cancellation, circuit }: Call,
    permit: Permit,
    cancel: (reason: Error) => void,
  ): (result: AttemptResult, outcome: AttemptOutcome) => void {
    const startedAt = performance.now();
    let concluded = false;
    const conclude = (result: AttemptResult, outcome: AttemptOutcome): void => {
      if (concluded) return;
      concluded = true;
      deadline.end();
      cancellation.listen(undefined);
      const now = performance.now();
      const disconnected = cancellation.reason instanceof ClientDisconnectedError;
      circuit.settle(permit, disconnected ? 'none' : result, now);
      this.observer.attemptSettled(disconnected ? 'caller-left' : outcome, now - startedAt);
    };
    const deadline = new Deadline(this.timeoutMs, () => {
      const failure = timedOut();
      conclude(resultOf(failure), failure.reason);
      cancel(failure);
    });
    cancellation.listen((reason) => {
      if (!(reason instanceof ClientDisconnectedError)) {
        conclude('failure', 'upstream-timeout');
      }
      cancel(reason);
    });
    return conclude;
  }

  /**
   * A dead kept-alive connection is replaced once per call, because the upstream never received the attempt; not after a
   * change of the circuit, which would not have permitted the replacement.
   */
  private mayReplace(error: unknown, call: Call, permit: Permit, cancellation: Cancellation): boolean {
    const dead = error instanceof AttemptFailure && error.deadConnection;
    return dead && !call.connectionReplaced && cancellation.reason === undefined && call.circuit.isCurrent(permit);
  }
}

/** Why an attempt would be refused now. Starts no timer, so that calls to a failing upstream cost little. */
export function refusalBy(circuit: CircuitBreaker): UpstreamFailure | undefined {
  const now = performance.now();
  return circuit.canAcquire(now) ? undefined : circuit.refusal(now);
}

/** Turns a thrown error into a rejection. */
function rejectOnThrow<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    return Promise.reject(error);
  }
}

function resultOf(error: unknown): AttemptResult {
  return error instanceof AttemptFailure && error.countsAgainstCircuit ? 'failure' : 'none';
}
