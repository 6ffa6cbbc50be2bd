import type { Settings } from '../../../config/settings';
import type { Attempt } from '../../../resilience/attempt-runner';
import type { Cancellation } from '../../../resilience/cancellation';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { COMPLETE, type QueryResult } from '../../model/query-result';
import { ExternalSystemFailure } from '../../model/shipping-exceptions';
import type { UpstreamOperation } from '../protocol/shipping-protocol';
import type { CacheMetrics, CacheResult } from './cache.metrics';
import type { CacheEntry, MemoryStore } from './memory-store';
import type { RedisStore } from './redis-store';

/** The clocks of replicas may differ by this much; entries from further ahead are ignored. */
const CLOCK_SKEW_MS = 5000;

/** A result of the external system, and whether it was stored. */
export interface Fetched<Body> {
  readonly result: QueryResult<Body>;
  readonly stored: boolean;
}

/** A call as the cache sees it. */
export interface CachedCall<Body> {
  readonly operation: UpstreamOperation;
  /** The same only for calls with the same result. */
  readonly key: string;
  /** `Cache-Control` of the client. */
  readonly cacheControl: string | undefined;
  readonly attempt: Attempt<QueryResult<Body>>;
  /** Makes the call, or joins the call in flight with the same key. */
  readonly execute: (attempt: Attempt<Fetched<Body>>) => Promise<Fetched<Body>>;
}

/**
 * Stores complete results, in this process and, if there is one, in a store that replicas share. Fresh results are served
 * again. Older ones are served stale where the external system fails. Results and failures have a report for `Cache-Status`.
 */
export class ResultCache {
  private readonly keepMs: number;

  /**
   * @param isInFlight whether a call with this key would join a call in flight: then no store is read first, so that
   *   concurrent misses make one external call
   */
  constructor(
    private readonly settings: Settings['cache'],
    private readonly memory: MemoryStore,
    private readonly shared: RedisStore | undefined,
    private readonly isInFlight: (key: string) => boolean,
    private readonly metrics: CacheMetrics,
  ) {
    this.keepMs = settings.ttlMs + settings.staleIfErrorMs;
  }

  /**
   * Serves a call from the cache, or makes it.
   *
   * @throws the error of the call where no stale result can be served
   */
  async resolve<Body>(call: CachedCall<Body>): Promise<QueryResult<Body>> {
    const directives = readDirectives(call.cacheControl);
    const entry = this.memory.get(call.key);
    if (this.isFresh(entry, directives)) return this.hit(call, entry);
    const reads = this.settings.ttlMs > 0 && directives.maxAgeMs > 0 && !this.isInFlight(call.key);
    const reading = reads ? this.shared?.read(call.operation, call.key) : undefined;
    if (reading === undefined) return this.fetch(call, entry, directives, reads);
    const found = this.newest(call.key, await reading);
    return this.isFresh(found, directives) ? this.hit(call, found) : this.fetch(call, found, directives, true);
  }

  private hit<Body>({ operation }: CachedCall<Body>, { body, storedAt }: CacheEntry): QueryResult<Body> {
    const age = Date.now() - storedAt;
    this.metrics.served(operation.name, 'hit');
    const cache = { status: `hit; ttl=${this.ttlSeconds(age)}`, ageSeconds: wholeSeconds(age) };
    return { body: body as Body, completeness: COMPLETE, cache };
  }

  /** @param hasRead whether the shared store was read already: a request waits for it once at most */
  private async fetch<Body>(
    call: CachedCall<Body>,
    entry: CacheEntry | undefined,
    directives: RequestDirectives,
    hasRead: boolean,
  ): Promise<QueryResult<Body>> {
    const { operation, key } = call;
    const [cacheResult, forwarded] = this.whyForwarded(entry, directives);
    const collapsed = this.isInFlight(key) ? '; collapsed' : '';
    try {
      const { result, stored } = await call.execute((cancellation) =>
        this.fetchAndStore(call, directives, cancellation),
      );
      this.metrics.served(operation.name, cacheResult);
      return { ...result, cache: { status: `fwd=${forwarded}${stored ? '; stored' : ''}${collapsed}` } };
    } catch (error) {
      if (isAccessDenied(error)) this.remove(key);
      const failure = error instanceof ExternalSystemFailure ? error : undefined;
      const stale = failure && (await this.stale(call, entry, directives, hasRead, failure));
      this.metrics.served(operation.name, stale === undefined ? cacheResult : 'stale');
      if (stale !== undefined) return stale;
      throw failure ? new ExternalSystemFailure(failure, { status: `fwd=${forwarded}${collapsed}` }) : error;
    }
  }

  /** Stores within the shared call, so that a result is stored once, before the next call with the same key. */
  private async fetchAndStore<Body>(
    { operation, key, attempt }: CachedCall<Body>,
    { store }: RequestDirectives,
    cancellation: Cancellation,
  ): Promise<Fetched<Body>> {
    const result = await attempt(cancellation);
    if (result.body === undefined) {
      this.remove(key);
      return { result, stored: false };
    }
    if (result.completeness.level !== 'complete' || !store) return { result, stored: false };
    const entry = { body: result.body, storedAt: Date.now() };
    const inMemory = this.memory.set(key, entry);
    const inRedis = this.shared?.write(operation, key, entry, this.keepMs) === true;
    return { result, stored: inMemory || inRedis };
  }

  private remove(key: string): void {
    this.memory.delete(key);
    this.shared?.remove(key);
  }

  /** The last complete result; `undefined` where there is none, or where it must not be served. */
  private async stale<Body>(
    { operation, key }: CachedCall<Body>,
    entry: CacheEntry | undefined,
    directives: RequestDirectives,
    hasRead: boolean,
    { reason, status = 500 }: ExternalSystemFailure,
  ): Promise<QueryResult<Body> | undefined> {
    const isClientError = status < 500 && status !== 408 && status !== 429;
    if (isClientError || this.settings.staleIfErrorMs === 0 || directives.maxAgeMs === 0) return undefined;
    const reading = hasRead ? undefined : this.shared?.read(operation, key);
    const last = reading === undefined ? entry : this.newest(key, await reading);
    if (last === undefined) return undefined;
    const age = Date.now() - last.storedAt;
    if (!this.isUsable(age) || age > directives.maxAgeMs) return undefined;
    const wasForwarded = reason !== 'circuit-open' && reason !== 'saturated';
    const report = `${wasForwarded ? 'fwd=stale' : 'hit'}; ttl=${this.ttlSeconds(age)}; detail=stale-if-error`;
    return {
      body: last.body as Body,
      completeness: { level: 'stale', reason },
      cache: { status: report, ageSeconds: wholeSeconds(age) },
    };
  }

  /** The newer one of the entry of this process and that of the shared store, which is then kept in this process too. */
  private newest(key: string, found: CacheEntry | undefined): CacheEntry | undefined {
    const entry = this.memory.get(key);
    if (found === undefined || !this.isUsable(Date.now() - found.storedAt)) return entry;
    if (entry !== undefined && entry.storedAt >= found.storedAt) return entry;
    this.memory.set(key, found);
    return found;
  }

  private whyForwarded(
    entry: CacheEntry | undefined,
    { maxAgeMs }: RequestDirectives,
  ): [result: CacheResult, forwarded: string] {
    const age = entry === undefined ? Infinity : Date.now() - entry.storedAt;
    if (maxAgeMs === 0 || this.isFreshAt(age)) return ['bypassed', 'request'];
    return this.isUsable(age) ? ['expired', 'stale'] : ['miss', 'miss'];
  }

  private isFresh(entry: CacheEntry | undefined, { maxAgeMs }: RequestDirectives): entry is CacheEntry {
    if (entry === undefined) return false;
    const age = Date.now() - entry.storedAt;
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

/** Whether the external system refuses the credential of the client. */
function isAccessDenied(error: unknown): boolean {
  return error instanceof UpstreamFailure && (error.status === 401 || error.status === 403);
}

function wholeSeconds(age: number): number {
  return Math.floor(Math.max(0, age) / 1000);
}

const DIRECTIVE = /[ \t,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:=(?:"([^"]*)"|([^ \t",;]*)))?/y;

/** What the `Cache-Control` of a client (RFC 9111) allows. */
export interface RequestDirectives {
  /** The highest age of a cached result, in milliseconds; 0: none may be served. */
  readonly maxAgeMs: number;
  /** Whether the result may be stored. */
  readonly store: boolean;
}

const NO_DIRECTIVES: RequestDirectives = { maxAgeMs: Infinity, store: true };

/** Reads `no-cache`, `no-store` and `max-age`, and ignores other directives and what follows invalid text. */
export function readDirectives(header: string | undefined): RequestDirectives {
  if (header === undefined) return NO_DIRECTIVES;
  let { maxAgeMs, store } = NO_DIRECTIVES;
  DIRECTIVE.lastIndex = 0;
  for (let found = DIRECTIVE.exec(header); found !== null; found = DIRECTIVE.exec(header)) {
    const name = found[1]?.toLowerCase();
    if (name === 'no-cache') maxAgeMs = 0;
    else if (name === 'max-age') maxAgeMs = Math.min(maxAgeMs, secondsIn(found[2] ?? found[3]) * 1000);
    else if (name === 'no-store') store = false;
  }
  return { maxAgeMs, store };
}

/** A number of seconds; invalid text counts as 0, the strictest. */
function secondsIn(text = ''): number {
  return /^\d+$/.test(text) ? Number(text) : 0;
}
