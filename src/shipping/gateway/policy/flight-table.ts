/** What a {@link FlightTable} holds. */
export interface Entry<T> {
  /** `undefined` where nobody shall find it. */
  readonly key: string | undefined;
  /** Belongs to the table. */
  next: T | undefined;
}

const BUCKETS = 1024;

/**
 * Calls in flight, by key.
 *
 * A `Map` to which every call adds and from which it removes is copied over and over, and each copy that has grown old
 * keeps the one after it, and what was in flight at that time, alive until the next full collection: nearly a kilobyte
 * a call. Buckets are never copied.
 */
export class FlightTable<T extends Entry<T>> {
  private readonly buckets: (T | undefined)[] = new Array<T | undefined>(BUCKETS).fill(undefined);

  get(key: string | undefined): T | undefined {
    if (key === undefined) return undefined;
    let entry = this.buckets[bucketOf(key)];
    while (entry !== undefined && entry.key !== key) entry = entry.next;
    return entry;
  }

  /** Adds an entry whose key the table does not hold. */
  add(entry: T): void {
    if (entry.key === undefined) return;
    const bucket = bucketOf(entry.key);
    entry.next = this.buckets[bucket];
    this.buckets[bucket] = entry;
  }

  /** Removes this very entry, where the table holds it. */
  remove(entry: T): void {
    if (entry.key === undefined) return;
    const bucket = bucketOf(entry.key);
    let before: T | undefined;
    let current = this.buckets[bucket];
    while (current !== undefined && current !== entry) {
      before = current;
      current = current.next;
    }
    if (current === undefined) return;
    if (before === undefined) this.buckets[bucket] = entry.next;
    else before.next = entry.next;
    entry.next = undefined;
  }
}

/** FNV-1a over the UTF-16 code units. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
}
