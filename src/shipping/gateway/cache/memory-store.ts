import { LRUCache } from 'lru-cache';
import type { Completeness, SharedJson } from '../../model/query-result';

/** A complete result, as an entry of the store. */
export interface CacheEntry extends SharedJson {
  readonly completeness: Completeness;
  /** Milliseconds since 1970, because replicas share entries and have no other clock in common. */
  readonly storedAt: number;
}

/** The clocks of replicas may differ by this much; an entry from further in the future is not used. */
const CLOCK_SKEW_MS = 5000;

/** The age of an entry in milliseconds; `Infinity` where no entry is stored, or it comes from further in the future. */
export function ageOf(entry: CacheEntry | undefined): number {
  const ageMs = Date.now() - (entry?.storedAt ?? -Infinity);
  return ageMs < -CLOCK_SKEW_MS ? Infinity : Math.max(0, ageMs);
}

/** A store of entries. No method throws or rejects, because a failing store is only a miss (D75). */
export interface CacheStore {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): unknown;
  /** Stores an entry again, with the codings that were added to its body, unless it is no longer stored. */
  update(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}

/** The bytes that an entry takes in memory beside its key and its bodies, measured on Node 20 and 26. */
const ENTRY_BYTES = 1000;

/** Stores entries in the process, within a number of bytes; the least recently used entry is evicted first. */
export class MemoryStore extends LRUCache<string, CacheEntry> implements CacheStore {
  constructor(maxBytes: number) {
    super({
      maxSize: maxBytes,
      // A key is the JSON text of parameters; V8 stores a text with one or two bytes for each character.
      sizeCalculation: ({ body }, key) => ENTRY_BYTES + 2 * key.length + body.bytes,
    });
  }

  update(key: string, { body, ...facts }: CacheEntry): void {
    // The size of an entry is calculated where another object is set.
    if (this.peek(key)?.body === body) this.set(key, { body, ...facts });
  }
}
