import { LRUCache } from 'lru-cache';

/** The JSON text of a complete result, and when it was stored: milliseconds since 1970, because replicas share entries. */
export interface CacheEntry {
  readonly text: string;
  readonly storedAt: number;
}

/** Port: where entries are kept. Nothing throws or rejects: what cannot be read is a miss. */
export abstract class CacheStore {
  abstract get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;

  /** Stores an entry, without waiting. */
  abstract set(key: string, entry: CacheEntry): void;

  abstract delete(key: string): void;
}

/** The entries of this process; the least recently used are evicted first. */
export class MemoryStore extends CacheStore {
  private readonly entries: LRUCache<string, CacheEntry>;

  /** @param maxBytes bound of the lengths of all keys and texts; an entry that alone exceeds it is not kept */
  constructor(maxBytes: number) {
    super();
    this.entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ text }, key) => key.length + text.length });
  }

  override get(key: string): CacheEntry | undefined {
    return this.entries.get(key);
  }

  override set(key: string, entry: CacheEntry): void {
    this.entries.set(key, entry);
  }

  override delete(key: string): void {
    this.entries.delete(key);
  }
}
