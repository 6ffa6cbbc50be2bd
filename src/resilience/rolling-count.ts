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
