import { RollingCount } from './rolling-count';

const BASE_MS = 100;
const CAP_MS = 1000;

/**
 * The wait before a retry, in milliseconds: full jitter, `random · min(1 s, 100 ms · 2^retry)`, and at least the
 * `Retry-After` of the upstream.
 *
 * @param retry 0 for the first
 * @param random from 0 up to, not including, 1
 */
export function backoff(retry: number, random: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, random * Math.min(CAP_MS, BASE_MS * 2 ** retry));
}

const WINDOW_MS = 10_000;
/** Retries allowed per call. */
const RATIO = 0.2;
/** Retries allowed in any window, whatever the number of calls. */
const MINIMUM = 3;

/** Limits the load that retries add to a failing upstream: where every call fails, it gets 1.2 times the traffic. */
export class RetryBudget {
  private readonly calls = new RollingCount(WINDOW_MS);
  private readonly retries = new RollingCount(WINDOW_MS);

  /** Counts a call whose first attempt was sent. */
  countCall(now: number): void {
    this.calls.add(now);
  }

  /** Spends one retry, if one is left. */
  tryTake(now: number): boolean {
    const allowed = Math.max(MINIMUM, RATIO * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) return false;
    this.retries.add(now);
    return true;
  }
}
