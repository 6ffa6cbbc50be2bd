import type { Operation } from '../operation';

/** How the cache served a call; `expired`, `bypassed` and `miss` went to the external system. */
export type CacheResult = 'hit' | 'miss' | 'expired' | 'bypassed' | 'stale';

/** What went wrong with the shared store: a command, or an entry that is none. */
export type StoreFailure = 'read' | 'write' | 'entry';

/** What the cache tells the metrics. Implementations must not throw. */
export interface CacheObserver {
  served(operation: Operation, result: CacheResult): void;
  storeFailed(failure: StoreFailure): void;
}
