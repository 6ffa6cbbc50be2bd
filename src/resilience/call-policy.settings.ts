import type { BreakerSettings } from './circuit-breaker';
import type { ConcurrencyLimitSettings } from './concurrency-limit';
import type { BackoffSettings, RetryBudgetSettings } from './retries';

/** Times are in milliseconds, above 0 and at most 2147483647, the longest time of a timer. */
export interface CallPolicySettings extends ConcurrencyLimitSettings {
  /** The whole call, retries and waits included. */
  readonly timeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** The first attempt included. */
  readonly maxAttempts: number;
  /** The longest wait for a slot. */
  readonly queueTimeoutMs: number;
  readonly breaker: BreakerSettings;
  readonly retryBudget: RetryBudgetSettings;
  readonly backoff: BackoffSettings;
}

/** What deployments configure, see {@link CallPolicySettings}. */
export type ConfiguredCallPolicy = ConcurrencyLimitSettings &
  Pick<CallPolicySettings, 'timeoutMs' | 'attemptTimeoutMs' | 'maxAttempts'> & { readonly breakerOpenMs: number };

/** The settings of a deployment, with the rules that are the same in each. */
export function callPolicySettings(configured: ConfiguredCallPolicy): CallPolicySettings {
  const { timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue, breakerOpenMs } = configured;
  return {
    ...{ timeoutMs, attemptTimeoutMs, maxAttempts, maxConcurrent, maxQueue },
    queueTimeoutMs: 1000,
    breaker: {
      windowMs: 10_000,
      minimumCalls: 20,
      failureRatio: 0.5,
      openMs: breakerOpenMs,
      maxOpenMs: 60_000,
      jitter: 0.2,
    },
    retryBudget: { ratio: 0.2, windowMs: 10_000, minimum: 3 },
    backoff: { baseMs: 100, capMs: 1000 },
  };
}
