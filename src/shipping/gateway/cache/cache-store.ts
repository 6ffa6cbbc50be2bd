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
