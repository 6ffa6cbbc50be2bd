import type { IncompletenessReason } from '../../model/completeness';
import type { CircuitState } from './circuit-breaker';

/** How an attempt ended. `internal`: it threw something that is no failure of the external system. */
export type AttemptOutcome = 'success' | 'caller-left' | IncompletenessReason;

/** What the policy tells the metrics. Durations are milliseconds. Implementations must not throw. */
export interface CallObserver {
  /** One attempt ended: answered, failed, passed its deadline, or nobody waits for it any more. */
  attemptSettled(outcome: AttemptOutcome, durationMs: number): void;
  /** A kept-alive connection was found dead and the attempt went out again. */
  connectionReplaced(): void;
  /** A failed attempt will be followed by another. */
  retried(): void;
  /** An attempt got its place in the queue, or gave up waiting for it. Not told of those who did not have to wait. */
  queued(waitMs: number): void;
  /** An attempt was refused without reaching the external system. */
  refused(reason: 'circuit-open' | 'saturated'): void;
  /** A call joined an identical one in flight. */
  shared(): void;
  circuitChanged(state: CircuitState): void;
}
