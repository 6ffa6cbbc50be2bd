import { LRUCache } from 'lru-cache';

/** The body of a complete result, and when it was stored: milliseconds since 1970, because replicas share entries. */
export interface CacheEntry {
  readonly body: unknown;
  readonly storedAt: number;
}

/**
 * The most memory that each takes, in V8 and as the JSON that is kept for cached responses: a reference, a number, an
 * object without fields, an empty text, a character, the quotes and colon of a name.
 */
const REFERENCE_BYTES = 8;
const NUMBER_BYTES = 40;
const OBJECT_BYTES = 48;
const TEXT_BYTES = 32;
const CHARACTER_BYTES = 5;
const NAME_BYTES = 4;

/** The entries of this process, bounded in bytes; the least recently used are evicted first. */
export class MemoryStore {
  private readonly entries: LRUCache<string, CacheEntry>;

  /** @param maxBytes bound of the memory of keys and entries, by a high estimate */
  constructor(maxBytes: number) {
    this.entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }, key) => OBJECT_BYTES + sizeOf(key) + sizeOf(body),
    });
  }

  get size(): number {
    return this.entries.size;
  }

  /** The estimated memory of all entries, in bytes. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: string): CacheEntry | undefined {
    return this.entries.get(key);
  }

  /** @returns whether the entry is kept; one that alone exceeds the bound is not */
  set(key: string, entry: CacheEntry): boolean {
    return this.entries.set(key, entry).peek(key) === entry;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

/** The estimated memory of a JSON value, in bytes. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return TEXT_BYTES + CHARACTER_BYTES * value.length;
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES;
  let bytes = OBJECT_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) bytes += REFERENCE_BYTES + sizeOf(item);
  } else {
    for (const name in value) {
      bytes += REFERENCE_BYTES + NAME_BYTES + name.length + sizeOf((value as Record<string, unknown>)[name]);
    }
  }
  return bytes;
}
