import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Settings } from '../../../config/settings';
import { SharedBody } from '../../../http/bodies/shared-body';
import { isClientError } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import type { CacheReport, Completeness, QueryResult } from '../../model/query-result';
import { linksOf, type SharedJson, sharedResult } from '../../model/shared-result';
import type { UpstreamRequest } from '../protocol/shipping-protocol';
import type { CacheMetrics, CacheResult } from './cache.metrics';
import { CachedParts } from './cached-parts';
import type { CacheEntry, CacheStore } from './memory-store';

/** The clocks of replicas may differ by this much; an entry from further in the future is not used. */
const CLOCK_SKEW_MS = 5000;

/**
 * The key of an upstream request in the cache. Requests with equal keys share a result. The key therefore contains the
 * headers of the client that are sent on to the external system, such as the header with a tenant.
 */
export function cacheKey({ operation, id, parameters, forwarded }: UpstreamRequest): string {
  return `${operation.name} ${JSON.stringify([id, parameters, forwarded])}`;
}

type Call<Body> = () => Promise<QueryResult<Body> & { readonly receivedAt?: number }>;

/** The result of a call that clients share. */
interface SharedOutcome {
  /** `undefined` where no record matches. */
  readonly json: SharedJson | undefined;
  readonly completeness: Completeness;
  readonly cache: CacheReport;
  readonly result: CacheResult;
}

/** An entry that may be used, and its age. */
interface Found {
  readonly entry: CacheEntry;
  readonly ageMs: number;
}

/** The bytes of a body from which on clients get it one after the other, see {@link ResultCache.resolve}. */
const LARGE_BYTES = 65_536;

/** Serves fresh results again, and older ones where the external system fails; concurrent requests share one call. */
export class ResultCache {
  private readonly pending = new Map<string, Promise<SharedOutcome>>();
  private readonly turns = pLimit(1);

  constructor(
    private readonly times: Pick<Settings['cache'], 'ttlMs' | 'staleIfErrorMs'>,
    private readonly store: CacheStore,
    private readonly metrics: CacheMetrics,
  ) {}

  /**
   * Clients that wait for one large result get it in one turn of the event loop each: where an interceptor or a handler
   * reads the body, the copy of one client is sent before that of the next is parsed (D75).
   *
   * @param key clients with equal keys share one call and its cache entry: the key may be equal only where the calls
   * have the same result and each of the clients may see it
   * @throws the error of the call where no stale result can be served
   */
  async resolve<Body>(operation: string, key: string, call: Call<Body>): Promise<QueryResult<Body>> {
    let outcome: SharedOutcome;
    try {
      outcome = await (this.pending.get(key) ?? this.lookUpOrCall(key, call));
    } catch (error) {
      this.metrics.requests.inc({ operation, result: 'miss' });
      throw error;
    }
    const { json, completeness, cache, result } = outcome;
    this.metrics.requests.inc({ operation, result });
    if (json === undefined) return { body: undefined as Body, completeness, cache };
    if (json.body.json.length >= LARGE_BYTES) await this.turns(() => nextTurn());
    return sharedResult(json, { completeness, cache });
  }

  /** The parts of lists that one call reads. */
  partsOf(forwarded: UpstreamRequest['forwarded']): CachedParts {
    return new CachedParts(this.store, this.times.ttlMs, forwarded);
  }

  /** A hit in the process is returned at once; what takes time is shared by all clients that wait for the key. */
  private lookUpOrCall(key: string, call: Call<unknown>): SharedOutcome | Promise<SharedOutcome> {
    const stored = this.store.get(key);
    const outcome =
      stored instanceof Promise
        ? stored.then((entry) => this.hitOrCall(key, entry, call))
        : this.hitOrCall(key, stored, call);
    if (!(outcome instanceof Promise)) return outcome;
    const pending = outcome.finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  private hitOrCall(
    key: string,
    entry: CacheEntry | undefined,
    call: Call<unknown>,
  ): SharedOutcome | Promise<SharedOutcome> {
    const found = this.usable(entry);
    if (found === undefined || found.ageMs >= this.times.ttlMs) return this.callAndStore(key, found, call);
    this.keepCodings(key, found.entry);
    const cache = { status: 'hit', ageSeconds: seconds(found.ageMs) };
    return { json: found.entry, completeness: found.entry.completeness, cache, result: 'hit' };
  }

  private async callAndStore(key: string, found: Found | undefined, call: Call<unknown>): Promise<SharedOutcome> {
    try {
      const { body, completeness, receivedAt = Date.now() } = await call();
      const cache = { status: found === undefined ? 'fwd=miss' : 'fwd=stale' };
      if (body === undefined) {
        this.store.delete(key);
        return { json: undefined, completeness, cache, result: 'miss' };
      }
      const json = { body: await SharedBody.of(JSON.stringify(body)), links: linksOf(body) };
      if (completeness.level === 'complete') {
        const entry = { ...json, completeness, storedAt: receivedAt };
        this.store.set(key, entry);
        this.keepCodings(key, entry);
      }
      return { json, completeness, cache, result: 'miss' };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      const { reason, message: cause, status = 0 } = error;
      if (status === 401 || status === 403) this.store.delete(key);
      const last = this.usable(found?.entry);
      if (last === undefined || isClientError(status)) throw error;
      const cache = { status: 'fwd=stale', ageSeconds: seconds(last.ageMs) };
      return { json: last.entry, completeness: { level: 'stale', reason, cause }, cache, result: 'stale' };
    }
  }

  private keepCodings(key: string, entry: CacheEntry): void {
    entry.body.whenEncoded ??= () => {
      this.store.update(key, entry);
    };
  }

  private usable(entry: CacheEntry | undefined): Found | undefined {
    if (entry === undefined) return undefined;
    const ageMs = Date.now() - entry.storedAt;
    const { ttlMs, staleIfErrorMs } = this.times;
    return ageMs >= -CLOCK_SKEW_MS && ageMs < ttlMs + staleIfErrorMs ? { entry, ageMs } : undefined;
  }
}

function seconds(ageMs: number): number {
  return Math.floor(Math.max(0, ageMs) / 1000);
}
