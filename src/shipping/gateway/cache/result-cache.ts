import type { Settings } from '../../../config/settings';
import { isRefusal } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import type { CacheReport, Completeness, QueryResult } from '../../model/query-result';
import type { UpstreamRequest } from '../protocol/shipping-protocol';
import type { CacheMetrics, CacheResult } from './cache.metrics';

/** The clocks of replicas may differ by this much; an entry from further in the future is not used. */
const CLOCK_SKEW_MS = 5000;

/** A complete result, as an entry of the store. */
export interface CacheEntry {
  /** JSON with the body and the completeness of the result. */
  readonly text: string;
  /** Milliseconds since 1970, because replicas share entries and have no other clock in common. */
  readonly storedAt: number;
}

/**
 * The key of an upstream request in the cache. Requests with equal keys share a result. The key therefore contains the
 * headers of the client that are sent on to the external system, such as the header with a tenant.
 */
export function cacheKey({ operation, id, parameters, forwarded }: UpstreamRequest): string {
  return `${operation.name} ${JSON.stringify([id, parameters, forwarded])}`;
}

/** The bytes that an entry takes in memory beside its texts, measured on Node 20 and 26. */
const ENTRY_BYTES = 250;

/**
 * The bytes of an entry in memory: V8 stores a text with one byte a character if all are Latin-1, otherwise with two.
 */
export function bytesOf({ text }: CacheEntry, key: string): number {
  const sizes = [key, text].map((each) => (/[^\0-\xff]/.test(each) ? 2 * each.length : each.length));
  return sizes.reduce((sum, size) => sum + size, ENTRY_BYTES);
}

/** A store of entries. No method throws or rejects, because a failing store is only a miss (D75). */
export interface CacheStore {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}

type Call<Body> = () => Promise<QueryResult<Body>>;

/**
 * The result of a call that clients share. Each client parses the text anew, so that its changes to the body reach no
 * other client (D74).
 */
interface SharedResult {
  readonly text: string;
  /** Set for a stale result only: it is returned instead of the completeness that `text` contains. */
  readonly stale?: Completeness;
  readonly cache: CacheReport;
  readonly result: CacheResult;
}

/** Serves fresh results again, and older ones where the external system fails; concurrent requests share one call. */
export class ResultCache {
  private readonly pending = new Map<string, Promise<SharedResult>>();

  constructor(
    private readonly times: Pick<Settings['cache'], 'ttlMs' | 'staleIfErrorMs'>,
    private readonly store: CacheStore,
    private readonly metrics: CacheMetrics,
  ) {}

  /**
   * @param key clients with equal keys share one call and its cache entry: the key may be equal only where the calls
   * have the same result and each of the clients may see it
   * @throws the error of the call where no stale result can be served
   */
  async resolve<Body>(operation: string, key: string, call: Call<Body>): Promise<QueryResult<Body>> {
    let pending = this.pending.get(key);
    if (pending === undefined) {
      pending = this.lookUpOrCall(key, call).finally(() => this.pending.delete(key));
      this.pending.set(key, pending);
    }
    const { text, stale, cache, result } = await pending.catch((error: unknown) => {
      this.metrics.requests.inc({ operation, result: 'miss' });
      throw error;
    });
    this.metrics.requests.inc({ operation, result });
    const { body, completeness } = JSON.parse(text) as QueryResult<Body>;
    return { body, completeness: stale ?? completeness, cache };
  }

  private async lookUpOrCall(key: string, call: Call<unknown>): Promise<SharedResult> {
    const found = this.usable(await this.store.get(key));
    if (found !== undefined && found.ageMs < this.times.ttlMs) {
      const cache = { status: 'hit', ageSeconds: seconds(found.ageMs) };
      return { text: found.text, cache, result: 'hit' };
    }
    try {
      const { body, completeness } = await call();
      const text = JSON.stringify({ body, completeness });
      if (body === undefined) this.store.delete(key);
      else if (completeness.level === 'complete') this.store.set(key, { text, storedAt: Date.now() });
      const cache = { status: found === undefined ? 'fwd=miss' : 'fwd=stale' };
      return { text, cache, result: 'miss' };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      const { reason, message: cause, status = 0 } = error;
      if (status === 401 || status === 403) this.store.delete(key);
      const last = this.usable(found);
      if (last === undefined || isRefusal(status)) throw error;
      const cache = { status: 'fwd=stale', ageSeconds: seconds(last.ageMs) };
      return { text: last.text, stale: { level: 'stale', reason, cause }, cache, result: 'stale' };
    }
  }

  private usable(entry: CacheEntry | undefined): (CacheEntry & { readonly ageMs: number }) | undefined {
    if (entry === undefined) return undefined;
    const ageMs = Date.now() - entry.storedAt;
    const { ttlMs, staleIfErrorMs } = this.times;
    return ageMs >= -CLOCK_SKEW_MS && ageMs < ttlMs + staleIfErrorMs ? { ...entry, ageMs } : undefined;
  }
}

function seconds(ageMs: number): number {
  return Math.floor(Math.max(0, ageMs) / 1000);
}
