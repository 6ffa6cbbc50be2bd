const BUCKETS = 10;

/** Counts recent events to a tenth of the window, in constant memory. Times are in milliseconds. */
export class RollingCount {
  private readonly bucketMs: number;
  private readonly counts = new Array<number>(BUCKETS).fill(0);
  private newest = 0;

  constructor(windowMs: number) {
    this.bucketMs = windowMs / BUCKETS;
  }

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
    const current = Math.floor(now / this.bucketMs);
    const first = Math.max(this.newest, current - BUCKETS) + 1;
    for (let bucket = first; bucket <= current; bucket += 1) this.counts[bucket % BUCKETS] = 0;
    this.newest = current;
  }
}
