const BUCKETS = 10;

interface Bucket {
  count: number;
  next: Bucket;
}

/** Counts the events of the last `windowMs` milliseconds, to a tenth of the window, in constant time and memory. */
export class RollingCount {
  private readonly bucketMs: number;
  private newest = ring(BUCKETS);
  private newestIndex = 0;
  private sum = 0;

  constructor(windowMs: number) {
    this.bucketMs = windowMs / BUCKETS;
  }

  /** @param now milliseconds on a monotonic clock */
  add(now: number): void {
    this.expire(now);
    this.newest.count += 1;
    this.sum += 1;
  }

  total(now: number): number {
    this.expire(now);
    return this.sum;
  }

  private expire(now: number): void {
    const index = Math.floor(now / this.bucketMs);
    const steps = Math.min(BUCKETS, index - this.newestIndex);
    this.newestIndex = index;
    for (let step = 0; step < steps; step += 1) {
      this.newest = this.newest.next;
      this.sum -= this.newest.count;
      this.newest.count = 0;
    }
  }
}

function ring(size: number): Bucket {
  const first = { count: 0 } as Bucket;
  first.next = first;
  for (let made = 1; made < size; made += 1) {
    first.next = { count: 0, next: first.next };
  }
  return first;
}
