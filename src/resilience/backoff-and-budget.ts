import { RollingCount } from './rolling-count';

const BASE_MS = 100;
const CAP_MS = 1000;

/** The milliseconds before a retry, with full jitter; `retry` is 0 for the first, `random` at least 0 and below 1. */
export function backoff(retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(CAP_MS, BASE_MS * 2 ** retry));
}

const RETRIES_PER_CALL = 0.2;
const MINIMUM_RETRIES = 3;

/**
 * Limits the retries of ten seconds to a fifth of the calls in them, but to no fewer than three, so that retries do not
 * overload a failing upstream.
 */
export class RetryBudget {
  private readonly retries = new RollingCount();

  constructor(private readonly calls: RollingCount) {}

  tryTake(now: number): boolean {
    const allowed = Math.max(MINIMUM_RETRIES, RETRIES_PER_CALL * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) return false;
    this.retries.add(now);
    return true;
  }
}
