import { LRUCache } from 'lru-cache';

/** The JSON text of a complete result. */
export interface CacheEntry {
  readonly text: string;
  /** Milliseconds since 1970: replicas share entries. */
  readonly storedAt: number;
}

/** Port: keeps entries; nothing throws or rejects. */
export abstract class CacheStore {
  abstract get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;

  abstract set(key: string, entry: CacheEntry): void;

  abstract delete(key: string): void;
}

/** The entries of this process. */
export class MemoryStore extends CacheStore {
  private readonly entries: LRUCache<string, CacheEntry>;

  /** @param maxBytes bound of all keys and texts together */
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
