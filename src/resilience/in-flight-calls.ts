/** An entry of an {@link InFlightCallMap}. */
export interface Entry<T> {
  /** `undefined` for an entry that cannot be found. */
  readonly key: string | undefined;
  /** Used by the map. */
  next: T | undefined;
  /** Used by the map. */
  bucket: number;
}

const BUCKETS = 1024;

/**
 * Calls in flight, by key.
 *
 * V8 copies a `Map` over and over where each call adds and removes an entry, and each old copy keeps the next one and its
 * entries alive until the next full garbage collection: nearly a kilobyte a call. Buckets are never copied.
 */
export class InFlightCallMap<T extends Entry<T>> {
  private readonly buckets: (T | undefined)[] = new Array<T | undefined>(BUCKETS).fill(undefined);

  get(key: string | undefined): T | undefined {
    if (key === undefined) return undefined;
    let entry = this.buckets[bucketOf(key)];
    while (entry !== undefined && entry.key !== key) entry = entry.next;
    return entry;
  }

  /** Adds an entry whose key is not in the map. */
  add(entry: T): void {
    if (entry.key === undefined) return;
    entry.bucket = bucketOf(entry.key);
    entry.next = this.buckets[entry.bucket];
    this.buckets[entry.bucket] = entry;
  }

  /** Removes this entry, if it is in the map. */
  remove(entry: T): void {
    if (entry.key === undefined) return;
    const { bucket } = entry;
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
