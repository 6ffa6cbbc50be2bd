import type { BreakerSettings } from './circuit-breaker';
import type { ConcurrencyLimitSettings } from './concurrency-limit';
import type { BackoffSettings, RetryBudgetSettings } from './retries';

/** What deployments configure. Times are in milliseconds, from 1 to 2147483647, the longest time of a timer. */
export interface ConfiguredCallPolicy extends ConcurrencyLimitSettings {
  /** The whole call, retries and waits included. */
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** The first attempt included. */
  readonly maxAttempts: number;
  readonly breakerOpenMs: number;
}

export interface CallPolicySettings extends Omit<ConfiguredCallPolicy, 'breakerOpenMs'> {
  /** The longest wait for a slot. */
  readonly queueTimeoutMs: number;
  readonly breaker: BreakerSettings;
  readonly retryBudget: RetryBudgetSettings;
  readonly backoff: BackoffSettings;
}

/** The settings of a deployment, with the rules that are the same in each. */
export function callPolicySettings(configured: ConfiguredCallPolicy): CallPolicySettings {
  const { timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue, breakerOpenMs: openMs } = configured;
  return {
    ...{ timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue },
    queueTimeoutMs: 1000,
    breaker: { windowMs: 10_000, minimumCalls: 20, failureRatio: 0.5, openMs, maxOpenMs: 60_000, jitter: 0.2 },
    retryBudget: { ratio: 0.2, windowMs: 10_000, minimum: 3 },
    backoff: { baseMs: 100, capMs: 1000 },
  };
}
