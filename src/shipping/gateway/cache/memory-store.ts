import { LRUCache } from 'lru-cache';
import { CacheStore, type CacheEntry } from './cache-store';

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
