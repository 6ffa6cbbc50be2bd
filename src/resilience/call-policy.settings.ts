import type { BackoffSettings } from './backoff';
import type { BreakerSettings } from './circuit-breaker';
import type { ConcurrencyLimitSettings } from './concurrency-limit';
import type { RetryBudgetSettings } from './retry-budget';

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

export const DEFAULT_CALL_POLICY_SETTINGS: CallPolicySettings = {
  timeoutMs: 5000,
  attemptTimeoutMs: 2000,
  maxAttempts: 3,
  maxConcurrent: 64,
  maxQueue: 1024,
  queueTimeoutMs: 250,
  movingQueueTimeoutMs: 1000,
  breaker: {
    windowMs: 10_000,
    minimumCalls: 20,
    failureRatio: 0.5,
    openMs: 5000,
    maxOpenMs: 60_000,
    jitter: 0.2,
    maxProbes: 3,
  },
  retryBudget: { ratio: 0.2, windowMs: 10_000, minimum: 3 },
  backoff: { baseMs: 100, capMs: 1000 },
};
