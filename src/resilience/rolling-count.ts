const BUCKETS = 10;
const BUCKET_MS = 1000;

/**
 * Counts the events of the last ten seconds, with a precision of one second, in constant memory. Times are in
 * milliseconds.
 */
export class RollingCount {
  private readonly counts: number[] = [];
  private newest = 0;

  add(now: number): void {
    this.expire(now);
    const index = this.newest % BUCKETS;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  total(now: number): number {
    this.expire(now);
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  private expire(now: number): void {
    const current = Math.floor(now / BUCKET_MS);
    const first = Math.max(this.newest, current - BUCKETS) + 1;
    for (let bucket = first; bucket <= current; bucket += 1) this.counts[bucket % BUCKETS] = 0;
    this.newest = current;
  }
}

const RETRIES_PER_CALL = 0.2;
const MINIMUM_RETRIES = 3;

/**
 * Limits the retries of ten seconds to a fifth of the calls in them, but to no fewer than three, so that retries do not
 * overload a failing upstream.
 */
export class RetryBudget {
  private readonly retries = new RollingCount();

  /** @param calls counts the calls, without their retries */
  constructor(readonly calls = new RollingCount()) {}

  tryTake(now: number): boolean {
    const allowed = Math.max(MINIMUM_RETRIES, RETRIES_PER_CALL * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) return false;
    this.retries.add(now);
    return true;
  }
}
