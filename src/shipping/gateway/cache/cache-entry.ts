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
  /** Whether each entry that is found is a copy, with memory of its own. */
  readonly copies: boolean;
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): unknown;
  /** Stores an entry again, with the codings that were added to its body, unless it is no longer stored. */
  update(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}
