import { LRUCache } from 'lru-cache';
import type { CacheEntry } from './cache-entry';

/**
 * What each takes at most, in V8 and once more as JSON in UTF-8, which answers are kept as once they are given again: a
 * reference, a number, an object without fields, a text without characters, a character, what stands around a name.
 */
const REFERENCE_BYTES = 8;
const NUMBER_BYTES = 40;
const OBJECT_BYTES = 48;
const TEXT_BYTES = 32;
const CHARACTER_BYTES = 5;
const NAME_BYTES = 4;

/** The entries of this process, bounded in number and bytes; those not used for the longest time go first. */
export class MemoryStore {
  private readonly entries: LRUCache<string, CacheEntry>;

  /** @param maxBytes bound of the memory that keys and entries take, by an estimate that errs on the high side */
  constructor(maxEntries: number, maxBytes: number) {
    this.entries = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      sizeCalculation: ({ answer }, key) => OBJECT_BYTES + sizeOf(key) + sizeOf(answer.body),
    });
  }

  get size(): number {
    return this.entries.size;
  }

  /** What its entries take together, in bytes, by the estimate. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }

  get(key: string): CacheEntry | undefined {
    return this.entries.get(key);
  }

  /** @returns whether it is kept: an entry that exceeds the bound by itself is not */
  set(key: string, entry: CacheEntry): boolean {
    return this.entries.set(key, entry).peek(key) === entry;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

/** About how many bytes a value of JSON takes, in memory and written down. */
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
