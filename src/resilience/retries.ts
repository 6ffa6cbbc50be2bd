import { RollingCount } from './rolling-count';

export interface BackoffSettings {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before a retry, in milliseconds: full jitter, `random · min(cap, base · 2^retry)`, and at least the
 * `Retry-After` of the upstream.
 *
 * @param retry 0 for the first.
 * @param random from 0 up to, not including, 1.
 */
export function backoff(settings: BackoffSettings, retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(settings.capMs, settings.baseMs * 2 ** retry));
}

/** How many retries are allowed. */
export interface RetryBudgetSettings {
  /** Retries allowed per call. */
  readonly ratio: number;
  readonly windowMs: number;
  /** Retries allowed in any window, whatever the number of calls. */
  readonly minimum: number;
}

/**
 * Limits the load that retries add to a failing upstream: over a window there are at most `ratio` retries per call, so
 * that an upstream that fails every call receives `1 + ratio` times the traffic.
 */
export class RetryBudget {
  private readonly calls: RollingCount;
  private readonly retries: RollingCount;

  constructor(private readonly settings: RetryBudgetSettings) {
    this.calls = new RollingCount(settings.windowMs);
    this.retries = new RollingCount(settings.windowMs);
  }

  /** Counts a call whose first attempt was sent. */
  countCall(now: number): void {
    this.calls.add(now);
  }

  /** Spends one retry, if one is left. */
  tryTake(now: number): boolean {
    const allowed = Math.max(this.settings.minimum, this.settings.ratio * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) return false;
    this.retries.add(now);
    return true;
  }
}
