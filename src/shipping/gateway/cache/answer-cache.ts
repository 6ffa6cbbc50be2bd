import type { OnApplicationShutdown } from '@nestjs/common';
import type { CacheSettings } from '../../../config/settings';
import type { CallContext } from '../../model/call-context';
import type { Answer } from '../../model/completeness';
import { ExternalSystemFailure } from '../../model/external-system-failure';
import type { Operation } from '../operation';
import type { Attempt } from '../policy/attempt-runner';
import type { CacheEntry } from './cache-entry';
import type { CacheObserver, CacheResult } from './cache-observer';
import type { MemoryStore } from './memory-store';
import type { RedisStore } from './redis-store';
import { readDirectives, type RequestDirectives } from './request-directives';

/** Replicas' clocks may differ so much; an entry from further ahead is not believed. */
const CLOCK_SKEW_MS = 5000;

/** What a call can come back with; `undefined`: nothing matches. */
export type Cacheable = Answer<unknown> | undefined;

/** What came from the external system, and whether it was kept. */
export interface Fetched<T> {
  readonly answer: T;
  readonly stored: boolean;
}

/** A call as the cache sees it. */
export interface CachedCall<T> {
  readonly operation: Operation;
  /** The same only for calls that must get the same answer. */
  readonly key: string;
  readonly context: CallContext;
  readonly attempt: Attempt<T>;
  /** Makes the call, or joins the one in flight with the same key. */
  readonly execute: (attempt: Attempt<Fetched<T>>) => Promise<Fetched<T>>;
}

/**
 * Keeps complete answers, in this process and, where there is one, in a store that replicas share. While an answer is
 * fresh it is given again; while it is not too old it stands in for one that the external system fails to give.
 *
 * Whoever gets an answer finds in {@link CallContext.cacheReport} how it was served.
 */
export class AnswerCache implements OnApplicationShutdown {
  private readonly keepMs: number;

  /**
   * @param isInFlight whether a call with this key would join one: then nothing is looked up first, so that concurrent
   *   misses make one external call
   */
  constructor(
    private readonly settings: CacheSettings,
    private readonly memory: MemoryStore,
    private readonly shared: RedisStore | undefined,
    private readonly isInFlight: (key: string) => boolean,
    private readonly observer: Partial<CacheObserver> = {},
    private readonly now: () => number = Date.now,
  ) {
    this.keepMs = settings.ttlMs + settings.staleIfErrorMs;
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }

  /**
   * Answers from the cache, or makes the call.
   *
   * @throws whatever the call throws where nothing may stand in for it
   */
  async answer<T extends Cacheable>(call: CachedCall<T>): Promise<T> {
    const directives = readDirectives(call.context.cacheControl);
    const kept = this.memory.get(call.key);
    if (this.isFresh(kept, directives)) return this.hit(call, kept);
    const asked = this.settings.ttlMs > 0 && directives.maxAgeMs > 0 && !this.isInFlight(call.key);
    const reading = asked ? this.shared?.read(call.operation, call.key) : undefined;
    if (reading === undefined) return this.fetch(call, kept, directives, asked);
    const found = this.newest(call.key, await reading);
    return this.isFresh(found, directives) ? this.hit(call, found) : this.fetch(call, found, directives, true);
  }

  private hit<T>({ operation, context }: CachedCall<T>, { answer, storedAt }: CacheEntry): T {
    const age = this.now() - storedAt;
    this.observer.served?.(operation, 'hit');
    context.cacheReport = { status: `hit; ttl=${this.ttlSeconds(age)}`, ageSeconds: wholeSeconds(age) };
    return answer as T;
  }

  /** @param asked whether the shared store was asked already: it costs a request its time once at most */
  private async fetch<T extends Cacheable>(
    call: CachedCall<T>,
    kept: CacheEntry | undefined,
    directives: RequestDirectives,
    asked: boolean,
  ): Promise<T> {
    const { operation, key, context } = call;
    const [result, forwarded] = this.whyForwarded(kept, directives);
    const collapsed = this.isInFlight(key) ? '; collapsed' : '';
    try {
      const { answer, stored } = await call.execute((abandonment) => this.fetchAndKeep(call, directives, abandonment));
      this.observer.served?.(operation, result);
      context.cacheReport = { status: `fwd=${forwarded}${stored ? '; stored' : ''}${collapsed}` };
      return answer;
    } catch (error) {
      const standIn = await this.standIn(call, kept, directives, asked, error);
      if (standIn !== undefined) return standIn;
      this.observer.served?.(operation, result);
      context.cacheReport = { status: `fwd=${forwarded}${collapsed}` };
      throw error;
    }
  }

  /** Within the flight, so that an answer is kept once, whoever still waits for it, and before anyone asks again. */
  private async fetchAndKeep<T extends Cacheable>(
    { operation, key, attempt }: CachedCall<T>,
    { store }: RequestDirectives,
    abandonment: Parameters<Attempt<T>>[0],
  ): Promise<Fetched<T>> {
    const answer = await attempt(abandonment);
    if (answer === undefined) {
      this.memory.delete(key);
      this.shared?.remove(key);
    }
    if (answer?.completeness.level !== 'complete' || !store) return { answer, stored: false };
    const entry = { answer, storedAt: this.now() };
    const here = this.memory.set(key, entry);
    const there = this.shared?.write(operation, key, entry, this.keepMs) === true;
    return { answer, stored: here || there };
  }

  /** The last good answer in place of a failure; `undefined` where there is none, or none is wanted. */
  private async standIn<T extends Cacheable>(
    { operation, key, context }: CachedCall<T>,
    kept: CacheEntry | undefined,
    directives: RequestDirectives,
    asked: boolean,
    error: unknown,
  ): Promise<T | undefined> {
    if (!(error instanceof ExternalSystemFailure) || this.settings.staleIfErrorMs === 0) return undefined;
    if (directives.maxAgeMs === 0) return undefined;
    const reading = asked ? undefined : this.shared?.read(operation, key);
    const last = reading === undefined ? kept : this.newest(key, await reading);
    if (last === undefined) return undefined;
    const age = this.now() - last.storedAt;
    if (!this.isUsable(age) || age > directives.maxAgeMs) return undefined;
    this.observer.served?.(operation, 'stale');
    const how = wasForwarded(error) ? 'fwd=stale' : 'hit';
    const status = `${how}; ttl=${this.ttlSeconds(age)}; detail=stale-if-error`;
    context.cacheReport = { status, ageSeconds: wholeSeconds(age) };
    return { body: last.answer.body, completeness: { level: 'stale', reason: error.reason } } as T;
  }

  /** The newer of this process's entry and one of the shared store, which is kept here as well. */
  private newest(key: string, found: CacheEntry | undefined): CacheEntry | undefined {
    const kept = this.memory.get(key);
    if (found === undefined || !this.isUsable(this.now() - found.storedAt)) return kept;
    if (kept !== undefined && kept.storedAt >= found.storedAt) return kept;
    this.memory.set(key, found);
    return found;
  }

  private whyForwarded(
    kept: CacheEntry | undefined,
    { maxAgeMs }: RequestDirectives,
  ): [result: CacheResult, forwarded: string] {
    const age = kept === undefined ? Infinity : this.now() - kept.storedAt;
    if (maxAgeMs === 0 || (age < this.settings.ttlMs && this.isUsable(age))) return ['bypassed', 'request'];
    return this.isUsable(age) ? ['expired', 'stale'] : ['miss', 'miss'];
  }

  private isFresh(kept: CacheEntry | undefined, { maxAgeMs }: RequestDirectives): kept is CacheEntry {
    if (kept === undefined) return false;
    const age = this.now() - kept.storedAt;
    return age < this.settings.ttlMs && age >= -CLOCK_SKEW_MS && maxAgeMs > 0 && age <= maxAgeMs;
  }

  private isUsable(age: number): boolean {
    return age >= -CLOCK_SKEW_MS && age < this.keepMs;
  }

  private ttlSeconds(age: number): number {
    return Math.floor((this.settings.ttlMs - Math.max(0, age)) / 1000);
  }
}

/** Whether the external system was reached for before it was given up. */
function wasForwarded({ reason }: ExternalSystemFailure): boolean {
  return reason !== 'circuit-open' && reason !== 'saturated';
}

function wholeSeconds(age: number): number {
  return Math.floor(Math.max(0, age) / 1000);
}
