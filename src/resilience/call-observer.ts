import { notify } from '../common/safe-observer';
import type { CircuitState } from './circuit-breaker';
import type { FailureReason } from './upstream-failure';

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
  /** A circuit was created or has changed its state. */
  circuitChanged(operation: string, state: CircuitState): void;
}

/** An observer whose errors never reach the observed call. */
export function safeObserver(observer: Partial<CallObserver>): CallObserver {
  return {
    attemptSettled: (outcome, durationMs) => {
      notify(() => observer.attemptSettled?.(outcome, durationMs));
    },
    connectionReplaced: () => {
      notify(() => observer.connectionReplaced?.());
    },
    retried: () => {
      notify(() => observer.retried?.());
    },
    queued: (waitMs) => {
      notify(() => observer.queued?.(waitMs));
    },
    refused: (reason) => {
      notify(() => observer.refused?.(reason));
    },
    shared: () => {
      notify(() => observer.shared?.());
    },
    circuitChanged: (operation, state) => {
      notify(() => observer.circuitChanged?.(operation, state));
    },
  };
}
