import type { Operation } from '../operation';

/** How the cache served a call; `expired`, `bypassed` and `miss` went to the external system. */
export type CacheResult = 'hit' | 'miss' | 'expired' | 'bypassed' | 'stale';

/** What can go wrong with the shared store: a command, or an entry that is none. */
export const STORE_FAILURES = ['read', 'write', 'entry'] as const;
export type StoreFailure = (typeof STORE_FAILURES)[number];

/** What the cache tells the metrics. Implementations must not throw. */
export interface CacheObserver {
  served(operation: Operation, result: CacheResult): void;
  storeFailed(failure: StoreFailure): void;
}
