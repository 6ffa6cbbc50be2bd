import { ExternalSystemFailure } from '../../model/external-system-failure';
import { AttemptFailure } from './attempt-failure';
import type { AttemptOutcome, CallObserver } from './call-observer';
import { CallerLeft } from './caller-left';
import { Cancellation } from './cancellation';
import type { CircuitBreaker, Permit, Verdict } from './circuit-breaker';
import type { ConcurrencyLimit } from './concurrency-limit';
import { Deadlines } from './deadlines';
import type { RetryBudget } from './retry-budget';

/**
 * One try at the external system. It must settle promptly once it is told that nobody waits: until it does, it counts
 * as in flight.
 */
export type Attempt<T> = (abandonment: Cancellation) => Promise<T>;

/** What the attempts of one call have in common. */
export interface Call {
  readonly cancellation: Cancellation;
  /** Attempts that reached the external system. */
  attempts: number;
  connectionReplaced: boolean;
}

/** Runs single attempts: past the circuit, through the concurrency limit, within the attempt deadline. */
export class AttemptRunner {
  private readonly deadlines: Deadlines;

  constructor(
    private readonly circuit: CircuitBreaker,
    private readonly limit: ConcurrencyLimit,
    private readonly budget: RetryBudget,
    timeoutMs: number,
    private readonly observer: Partial<CallObserver>,
  ) {
    this.deadlines = new Deadlines(timeoutMs);
  }

  /**
   * Rejects, and never throws, with an AttemptFailure; what else the attempt threw; ExternalSystemFailure `circuit-open`
   * or `saturated` where it was not made; the reason of the cancellation.
   */
  run<T>(attempt: Attempt<T>, call: Call): Promise<T> {
    return begin(() => this.enter(attempt, call));
  }

  private enter<T>(attempt: Attempt<T>, call: Call): Promise<T> {
    call.cancellation.throwIfCancelled();
    const refusal = this.refusal();
    if (refusal !== undefined) {
      throw refusal;
    }
    const turn = this.limit.enter(call.cancellation);
    return turn === undefined
      ? this.start(attempt, call, this.acquire(call.cancellation))
      : this.startInTurn(turn, attempt, call);
  }

  /** Why an attempt would not be made now; arms no timer, so that a dead external system costs next to nothing. */
  refusal(): ExternalSystemFailure | undefined {
    const now = performance.now();
    return this.circuit.admits(now) ? undefined : this.circuit.refusal(now);
  }

  private startInTurn<T>(turn: Promise<void>, attempt: Attempt<T>, call: Call): Promise<T> {
    const since = performance.now();
    return turn.then(
      () => {
        this.observer.queued?.(performance.now() - since);
        return this.start(attempt, call, this.acquire(call.cancellation));
      },
      (error: unknown) => {
        this.observer.queued?.(performance.now() - since);
        throw error;
      },
    );
  }

  /** The circuit is asked again, because it may have opened during the wait for a place. */
  private acquire(cancellation: Cancellation): Permit {
    try {
      cancellation.throwIfCancelled();
      return this.circuit.acquire(performance.now());
    } catch (error) {
      this.limit.leave();
      throw error;
    }
  }

  private start<T>(attempt: Attempt<T>, call: Call, permit: Permit): Promise<T> {
    call.attempts += 1;
    if (call.attempts === 1) {
      this.budget.countCall(performance.now());
    }
    const abandonment = new Cancellation();
    return new Promise<T>((resolve, reject) => {
      const conclude = this.watch(call.cancellation, permit, (reason) => {
        reject(reason);
        abandonment.cancel(reason);
      });
      const succeed = (value: T): void => {
        conclude('success', 'success');
        this.limit.leave();
        resolve(value);
      };
      const fail = (error: unknown): void => {
        conclude(verdictOn(error), error instanceof ExternalSystemFailure ? error.reason : 'internal');
        this.limit.leave();
        // The failure as it is, whatever was thrown.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      };
      begin(() => attempt(abandonment)).then(succeed, (error: unknown) => {
        if (!this.mayReplace(error, call, permit, abandonment)) {
          fail(error);
          return;
        }
        call.connectionReplaced = true;
        this.observer.connectionReplaced?.();
        begin(() => attempt(abandonment)).then(succeed, fail);
      });
    });
  }

  /**
   * Gives the attempt up at its deadline or when the call is cancelled. Its place stays taken until it has really
   * settled. The circuit hears of it once: when it settles or its deadline passes, so that a probe whose caller left
   * counts as a probe while it is in flight, and not for ever.
   *
   * @returns to be called when the attempt settles.
   */
  private watch(
    cancellation: Cancellation,
    permit: Permit,
    giveUp: (reason: Error) => void,
  ): (verdict: Verdict, outcome: AttemptOutcome) => void {
    const startedAt = performance.now();
    let concluded = false;
    const conclude = (verdict: Verdict, outcome: AttemptOutcome): void => {
      if (concluded) {
        return;
      }
      concluded = true;
      this.deadlines.end(deadline);
      cancellation.listen(undefined);
      const now = performance.now();
      const left = cancellation.reason instanceof CallerLeft;
      this.circuit.settle(permit, left ? 'none' : verdict, now);
      this.observer.attemptSettled?.(left ? 'caller-left' : outcome, now - startedAt);
    };
    const deadline = this.deadlines.start(() => {
      const failure = timedOut();
      conclude(verdictOn(failure), failure.reason);
      giveUp(failure);
    });
    cancellation.listen((reason) => {
      if (!(reason instanceof CallerLeft)) {
        conclude('failure', 'upstream-timeout');
      }
      giveUp(reason);
    });
    return conclude;
  }

  /**
   * A dead kept-alive connection is replaced once per call, for the external system never saw that attempt; not when the
   * circuit has changed since, because the new one would then go out without its consent.
   */
  private mayReplace(error: unknown, call: Call, permit: Permit, abandonment: Cancellation): boolean {
    const dead = error instanceof AttemptFailure && error.deadConnection;
    return dead && !call.connectionReplaced && abandonment.reason === undefined && this.circuit.holds(permit);
  }
}

/** What throws has failed like what rejects. */
function begin<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    return Promise.reject(error);
  }
}

function timedOut(): AttemptFailure {
  return new AttemptFailure('upstream-timeout', 'the deadline of the attempt passed', {
    retryable: true,
    countsAgainstCircuit: true,
  });
}

/** A failure that does not count is an answer all the same; an error of our own says nothing. */
function verdictOn(error: unknown): Verdict {
  if (!(error instanceof ExternalSystemFailure)) {
    return 'none';
  }
  return error instanceof AttemptFailure && !error.countsAgainstCircuit ? 'success' : 'failure';
}
