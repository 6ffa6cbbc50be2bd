import type { CacheSettings } from '../../../config/cache.settings';
import type { Attempt } from '../../../resilience/attempt-runner';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import type { CacheReport } from '../../model/query-result';
import type { MappedBody, Operation } from '../protocol/operation';
import type { CacheEntry } from './cache-entry';
import type { CacheMetrics, CacheResult } from './cache.metrics';
import type { MemoryStore } from './memory-store';
import type { RedisStore } from './redis-store';
import { readDirectives, type RequestDirectives } from './request-directives';

/** The clocks of replicas may differ by this much; entries from further ahead are ignored. */
const CLOCK_SKEW_MS = 5000;

/** The result of a call; `undefined`: no record matches. */
export type Cacheable = MappedBody<unknown> | undefined;

/** A result of the external system, and whether it was stored. */
export interface Fetched<T> {
  readonly result: T;
  readonly stored: boolean;
}

/** A call as the cache sees it. */
export interface CachedCall<T> {
  readonly operation: Operation;
  /** The same only for calls with the same result. */
  readonly key: string;
  /** `Cache-Control` of the client. */
  readonly cacheControl: string | undefined;
  readonly attempt: Attempt<T>;
  /** Makes the call, or joins the call in flight with the same key. */
  readonly execute: (attempt: Attempt<Fetched<T>>) => Promise<Fetched<T>>;
  /** Receives, once, how the call was served, also where it fails. */
  readonly report: (report: CacheReport) => void;
}

/**
 * Stores complete results, in this process and, if there is one, in a store that replicas share. Fresh results are served
 * again. Older ones are served stale where the external system fails.
 */
export class ResultCache {
  private readonly keepMs: number;

  /**
   * @param isInFlight whether a call with this key would join a call in flight: then no store is read first, so that
   *   concurrent misses make one external call
   */
  constructor(
    private readonly settings: CacheSettings,
    private readonly memory: MemoryStore,
    private readonly shared: RedisStore | undefined,
    private readonly isInFlight: (key: string) => boolean,
    private readonly metrics: Partial<CacheMetrics> = {},
    private readonly now: () => number = Date.now,
  ) {
    this.keepMs = settings.ttlMs + settings.staleIfErrorMs;
  }

  /**
   * Serves a call from the cache, or makes it.
   *
   * @throws the error of the call where no stale result can be served
   */
  async resolve<T extends Cacheable>(call: CachedCall<T>): Promise<T> {
    const directives = readDirectives(call.cacheControl);
    const entry = this.memory.get(call.key);
    if (this.isFresh(entry, directives)) return this.hit(call, entry);
    const reads = this.settings.ttlMs > 0 && directives.maxAgeMs > 0 && !this.isInFlight(call.key);
    const reading = reads ? this.shared?.read(call.operation, call.key) : undefined;
    if (reading === undefined) return this.fetch(call, entry, directives, reads);
    const found = this.newest(call.key, await reading);
    return this.isFresh(found, directives) ? this.hit(call, found) : this.fetch(call, found, directives, true);
  }

  private hit<T>({ operation, report }: CachedCall<T>, { result, storedAt }: CacheEntry): T {
    const age = this.now() - storedAt;
    this.metrics.served?.(operation.name, 'hit');
    report({ status: `hit; ttl=${this.ttlSeconds(age)}`, ageSeconds: wholeSeconds(age) });
    return result as T;
  }

  /** @param hasRead whether the shared store was read already: a request waits for it once at most */
  private async fetch<T extends Cacheable>(
    call: CachedCall<T>,
    entry: CacheEntry | undefined,
    directives: RequestDirectives,
    hasRead: boolean,
  ): Promise<T> {
    const { operation, key, report } = call;
    const [cacheResult, forwarded] = this.whyForwarded(entry, directives);
    const collapsed = this.isInFlight(key) ? '; collapsed' : '';
    try {
      const { result, stored } = await call.execute((cancellation) =>
        this.fetchAndStore(call, directives, cancellation),
      );
      this.metrics.served?.(operation.name, cacheResult);
      report({ status: `fwd=${forwarded}${stored ? '; stored' : ''}${collapsed}` });
      return result;
    } catch (error) {
      const stale = await this.serveStale(call, entry, directives, hasRead, error);
      if (stale !== undefined) return stale;
      this.metrics.served?.(operation.name, cacheResult);
      report({ status: `fwd=${forwarded}${collapsed}` });
      throw error;
    }
  }

  /** Stores within the shared call, so that a result is stored once, before the next call with the same key. */
  private async fetchAndStore<T extends Cacheable>(
    { operation, key, attempt }: CachedCall<T>,
    { store }: RequestDirectives,
    cancellation: Parameters<Attempt<T>>[0],
  ): Promise<Fetched<T>> {
    const result = await attempt(cancellation);
    if (result === undefined) {
      this.memory.delete(key);
      this.shared?.remove(key);
    }
    if (result?.completeness.level !== 'complete' || !store) return { result, stored: false };
    const entry = { result, storedAt: this.now() };
    const inMemory = this.memory.set(key, entry);
    const inRedis = this.shared?.write(operation, key, entry, this.keepMs) === true;
    return { result, stored: inMemory || inRedis };
  }

  /** The last complete result; `undefined` where there is none, or where it must not be served. */
  private async serveStale<T extends Cacheable>(
    { operation, key, report }: CachedCall<T>,
    entry: CacheEntry | undefined,
    directives: RequestDirectives,
    hasRead: boolean,
    error: unknown,
  ): Promise<T | undefined> {
    if (!(error instanceof UpstreamFailure) || this.settings.staleIfErrorMs === 0) return undefined;
    if (directives.maxAgeMs === 0) return undefined;
    const reading = hasRead ? undefined : this.shared?.read(operation, key);
    const last = reading === undefined ? entry : this.newest(key, await reading);
    if (last === undefined) return undefined;
    const age = this.now() - last.storedAt;
    if (!this.isUsable(age) || age > directives.maxAgeMs) return undefined;
    this.metrics.served?.(operation.name, 'stale');
    const how = wasForwarded(error) ? 'fwd=stale' : 'hit';
    report({ status: `${how}; ttl=${this.ttlSeconds(age)}; detail=stale-if-error`, ageSeconds: wholeSeconds(age) });
    return { body: last.result.body, completeness: { level: 'stale', reason: error.reason } } as T;
  }

  /** The newer one of the entry of this process and that of the shared store, which is then kept in this process too. */
  private newest(key: string, found: CacheEntry | undefined): CacheEntry | undefined {
    const entry = this.memory.get(key);
    if (found === undefined || !this.isUsable(this.now() - found.storedAt)) return entry;
    if (entry !== undefined && entry.storedAt >= found.storedAt) return entry;
    this.memory.set(key, found);
    return found;
  }

  private whyForwarded(
    entry: CacheEntry | undefined,
    { maxAgeMs }: RequestDirectives,
  ): [result: CacheResult, forwarded: string] {
    const age = entry === undefined ? Infinity : this.now() - entry.storedAt;
    if (maxAgeMs === 0 || this.isFreshAt(age)) return ['bypassed', 'request'];
    return this.isUsable(age) ? ['expired', 'stale'] : ['miss', 'miss'];
  }

  private isFresh(entry: CacheEntry | undefined, { maxAgeMs }: RequestDirectives): entry is CacheEntry {
    if (entry === undefined) return false;
    const age = this.now() - entry.storedAt;
    return this.isFreshAt(age) && maxAgeMs > 0 && age <= maxAgeMs;
  }

  /** At a lifetime of 0 nothing is fresh, whatever the clocks. */
  private isFreshAt(age: number): boolean {
    return Math.max(0, age) < this.settings.ttlMs && this.isUsable(age);
  }

  private isUsable(age: number): boolean {
    return age >= -CLOCK_SKEW_MS && age < this.keepMs;
  }

  private ttlSeconds(age: number): number {
    return Math.floor((this.settings.ttlMs - Math.max(0, age)) / 1000);
  }
}

/** Whether the call reached the external system. */
function wasForwarded({ reason }: UpstreamFailure): boolean {
  return reason !== 'circuit-open' && reason !== 'saturated';
}

function wholeSeconds(age: number): number {
  return Math.floor(Math.max(0, age) / 1000);
}
