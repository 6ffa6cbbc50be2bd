import { LRUCache } from 'lru-cache';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Settings } from '../../../config/settings';
import { SharedBody } from '../../../http/shared-body';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { type Completeness, linksOf, type QueryResult, type SharedJson, StoredResult } from '../../model/query-result';
import type { GatewayMetrics } from '../gateway.metrics';
import type { UpstreamRequest } from '../protocol/shipping-protocol';

/** A complete result, as an entry of the store. */
export interface CacheEntry extends SharedJson {
  readonly completeness: Completeness;
  /** Milliseconds since 1970, because replicas share entries and have no other clock in common. */
  readonly storedAt: number;
}

/** The clocks of replicas may differ by this much; an entry from further in the future is not used. */
const CLOCK_SKEW_MS = 5000;

/** The age of an entry in milliseconds; `Infinity` where no entry is stored, or it comes from further in the future. */
function ageOf(entry: CacheEntry | undefined): number {
  const ageMs = Date.now() - (entry?.storedAt ?? -Infinity);
  return ageMs < -CLOCK_SKEW_MS ? Infinity : Math.max(0, ageMs);
}

type Lookup = CacheEntry | undefined | Promise<CacheEntry | undefined>;

/** A store of entries. No method throws or rejects, because a failing store is only a miss (D75). */
export interface CacheStore {
  get(key: string): Lookup;
  set(key: string, entry: CacheEntry): unknown;
  /** Stores an entry again, with the codings that were added to its body, unless it is no longer stored. */
  update(key: string, entry: CacheEntry): unknown;
  delete(key: string): unknown;
}

/** The bytes that an entry takes in memory beside its key and its bodies, measured on Node 20 and 26. */
const ENTRY_BYTES = 1000;

/** Stores entries in the process, within a number of bytes; the least recently used entry is evicted first. */
export class MemoryStore extends LRUCache<string, CacheEntry> implements CacheStore {
  constructor(maxBytes: number) {
    super({
      maxSize: maxBytes,
      // A key is the JSON text of parameters; V8 stores a text with one or two bytes for each character.
      sizeCalculation: ({ body }, key) => ENTRY_BYTES + 2 * key.length + body.bytes,
    });
  }

  update(key: string, { body, ...facts }: CacheEntry): void {
    // The size of an entry is calculated where another object is set.
    if (this.peek(key)?.body === body) this.set(key, { body, ...facts });
  }
}

/**
 * The key of an upstream request in the cache. Requests with equal keys share a result. The key therefore contains the
 * headers of the client that are sent on to the external system, such as the header with a tenant.
 */
export function cacheKey({ operation, id, parameters, forwarded }: UpstreamRequest): string {
  return `${operation.name} ${JSON.stringify([id, parameters, forwarded])}`;
}

type Call<Body> = () => Promise<QueryResult<Body>>;

/** The result of a call that clients share. */
interface SharedOutcome extends Required<Pick<QueryResult<unknown>, 'completeness' | 'cache'>> {
  /** `undefined` where no record matches. */
  readonly json: SharedJson | undefined;
}

/** The bytes of a body from which on clients get it one after the other, see {@link ResultCache.resolve}. */
const LARGE_BYTES = 65_536;
/**
 * Copies of entries that are read at a time, or wait for a turn: hundreds of clients that wait for long lists would hold
 * as many copies (D59). About as many more are held by clients that wait for their own turns behind them.
 */
const MAX_COPIES = 16;

/** Serves fresh results again, and older ones where the external system fails; concurrent requests share one call. */
export class ResultCache {
  private readonly pending = new Map<string, Promise<SharedOutcome>>();
  private readonly turns = pLimit(1);
  private readonly copying = pLimit(MAX_COPIES);

  constructor(
    private readonly times: Pick<Settings['cache'], 'ttlMs' | 'staleIfErrorMs'>,
    private readonly store: CacheStore,
    private readonly metrics: GatewayMetrics,
    private readonly isForwarding: boolean,
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
    let result = 'miss';
    try {
      const found = this.pending.get(key) ?? this.lookUpOrCall(key, call);
      const { json, completeness, cache } = found instanceof Promise ? await found : found;
      if (cache.status === 'hit') result = 'hit';
      else if (completeness.level === 'stale') result = 'stale';
      if (json === undefined) return { body: undefined as Body, completeness, cache };
      if (json.body.json.length >= LARGE_BYTES) await this.turns(() => nextTurn());
      return new StoredResult(json, completeness, cache);
    } finally {
      this.metrics.cacheRequests.inc({ operation, result });
    }
  }

  /** Uses the stored entry or makes the call, for all clients that wait for the key meanwhile. */
  private lookUpOrCall(key: string, call: Call<unknown>): SharedOutcome | Promise<SharedOutcome> {
    const { store } = this;
    const stored = store instanceof MemoryStore ? store.get(key) : this.copying(() => this.readCopy(key));
    // A hit in memory is returned without a promise, which would take a tenth of the time of the hit.
    const hit = stored instanceof Promise ? undefined : this.hitOf(key, stored);
    if (hit !== undefined) return hit;
    const pending = this.hitOrCall(key, stored, call).finally(() => this.pending.delete(key));
    this.pending.set(key, pending);
    return pending;
  }

  /** Reads an entry of a store that gives each reader a copy, with memory of its own. */
  private async readCopy(key: string): Promise<CacheEntry | undefined> {
    const entry = await this.store.get(key);
    if (entry !== undefined && entry.body.json.length >= LARGE_BYTES) await this.turns(() => nextTurn());
    return entry;
  }

  /** @returns `undefined` where the entry is not fresh */
  private hitOf(key: string, entry: CacheEntry | undefined): SharedOutcome | undefined {
    const ageMs = ageOf(entry);
    if (entry === undefined || ageMs >= this.times.ttlMs) return undefined;
    this.keepCodings(key, entry);
    const cache = { status: 'hit', ageSeconds: Math.floor(ageMs / 1000) };
    return { json: entry, completeness: entry.completeness, cache };
  }

  /** Makes the call, unless the stored entry is fresh; an older one is the result where the call fails. */
  private async hitOrCall(key: string, stored: Lookup, call: Call<unknown>): Promise<SharedOutcome> {
    const old = await stored;
    const hit = this.hitOf(key, old);
    if (hit !== undefined) return hit;
    const usableMs = this.times.ttlMs + this.times.staleIfErrorMs;
    const cache = { status: ageOf(old) < usableMs ? 'fwd=stale' : 'fwd=miss' };
    try {
      const { body, completeness } = await call();
      if (body === undefined) {
        this.store.delete(key);
        return { json: undefined, completeness, cache };
      }
      const json = { body: SharedBody.of(JSON.stringify(body)), links: linksOf(body) };
      if (completeness.level === 'complete') {
        const entry = { ...json, completeness, storedAt: Date.now() };
        this.store.set(key, entry);
        this.keepCodings(key, entry);
      }
      return { json, completeness, cache };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      const { reason, causes, status, refusedBy } = error;
      // The page of a firewall is no withdrawn access, unless it may be about the client whose headers were sent on.
      const isRefusal = refusedBy === 'system' || (refusedBy === 'page' && this.isForwarding);
      if (isRefusal && (status === 401 || status === 403)) this.store.delete(key);
      const ageMs = ageOf(old);
      if (ageMs >= usableMs || isRefusal) throw error;
      const ageSeconds = Math.floor(ageMs / 1000);
      return { json: old, completeness: { level: 'stale', reason, causes }, cache: { ...cache, ageSeconds } };
    }
  }

  private keepCodings(key: string, entry: CacheEntry): void {
    entry.body.whenEncoded ??= () => {
      this.store.update(key, entry);
    };
  }
}
