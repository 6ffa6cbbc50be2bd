const SECONDS = 10;

/**
 * Counts the events of the last ten seconds, with a precision of one second, in constant memory. Times are in
 * milliseconds.
 */
export class RollingCount {
  /** For each last digit of a second, the newest such second and its events. */
  private readonly counts: { readonly second: number; count: number }[] = [];

  add(now: number): void {
    const second = Math.floor(now / 1000);
    const known = this.counts[second % SECONDS];
    if (known?.second === second) known.count += 1;
    else this.counts[second % SECONDS] = { second, count: 1 };
  }

  total(now: number): number {
    const expired = Math.floor(now / 1000) - SECONDS;
    return this.counts.reduce((sum, { second, count }) => (second > expired ? sum + count : sum), 0);
  }
}

const RETRIES_PER_CALL = 0.2;
const MINIMUM_RETRIES = 3;

/**
 * Limits the retries of ten seconds to a fifth of the calls in them, but to no fewer than three, so that retries do not
 * overload a failing upstream.
 */
export class RetryBudget {
  /** Counts the calls, without their retries. */
  readonly calls = new RollingCount();
  private readonly retries = new RollingCount();

  tryTake(now: number): boolean {
    const allowed = Math.max(MINIMUM_RETRIES, RETRIES_PER_CALL * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) return false;
    this.retries.add(now);
    return true;
  }
}
