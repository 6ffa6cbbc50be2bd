import * as fc from 'fast-check';
import { callContext } from '../../../../test/support/units';
import type { CacheSettings } from '../../../config/settings';
import { COMPLETE, PARTIAL } from '../../model/completeness';
import { ExternalSystemFailure } from '../../model/external-system-failure';
import { CallerLeft } from '../policy/caller-left';
import { Cancellation } from '../policy/cancellation';
import { AnswerCache, type Cacheable, type Fetched } from './answer-cache';
import type { CacheEntry } from './cache-entry';
import { MemoryStore } from './memory-store';
import type { RedisStore } from './redis-store';

const SETTINGS: CacheSettings = { ttlMs: 1000, staleIfErrorMs: 2000, maxEntries: 100, maxBytes: 1_000_000 };
const complete = (body: unknown): Cacheable => ({ body, completeness: COMPLETE });
const FAILURE = new ExternalSystemFailure('upstream-error', 'it failed');

describe('AnswerCache', () => {
  const read = jest.fn<Promise<CacheEntry | undefined> | undefined, [operation: string, key: string]>();
  const write = jest.fn<boolean, [operation: string, key: string, entry: CacheEntry, keepMs: number]>();
  const remove = jest.fn();
  const close = jest.fn();
  const shared = { read, write, remove, close } as unknown as RedisStore;
  const inFlight = new Set<string>();
  const served = jest.fn();
  let now = 0;
  let memory: MemoryStore;

  beforeEach(() => {
    for (const mock of [read, write, remove, close, served]) mock.mockReset();
    inFlight.clear();
    now = 1_000_000;
    memory = new MemoryStore(100, 1_000_000);
  });

  const cacheOf = (settings: Partial<CacheSettings> = {}, store?: RedisStore): AnswerCache =>
    new AnswerCache(
      { ...SETTINGS, ...settings },
      memory,
      store,
      (key) => inFlight.has(key),
      { served },
      () => now,
    );

  /** One call of a caller, and what the external system does with it. */
  async function ask(cache: AnswerCache, external: () => Cacheable, key = 'key', cacheControl?: string) {
    const context = callContext({ cacheControl });
    let forwarded = 0;
    const outcome = await cache
      .answer<Cacheable>({
        operation: 'details',
        key,
        context,
        attempt: () => {
          forwarded += 1;
          return Promise.resolve().then(external);
        },
        execute: (attempt): Promise<Fetched<Cacheable>> => attempt(new Cancellation()),
      })
      .catch((error: unknown) => error);
    return { outcome, forwarded, report: context.cacheReport };
  }

  const fails = (): never => {
    throw FAILURE;
  };

  it('does as its model does, whatever happens in whatever order', async () => {
    type Kind = 'complete' | 'partial' | 'none' | 'failure' | 'bug';
    const kinds = fc.constantFrom<Kind>('complete', 'complete', 'partial', 'none', 'failure', 'failure', 'bug');
    const directive = fc.constantFrom(undefined, undefined, undefined, 'no-cache', 'no-store', 'max-age=1');
    const step = fc.record({ key: fc.constantFrom('a', 'b'), kind: kinds, directive, pass: fc.nat(1500) });
    const windows = fc.record({
      ttlMs: fc.constantFrom(0, 1, 1000, 3000),
      staleIfErrorMs: fc.constantFrom(0, 1, 2000),
    });
    await fc.assert(
      fc.asyncProperty(windows, fc.array(step, { maxLength: 40 }), async (settings, steps) => {
        memory = new MemoryStore(100, 1_000_000);
        const cache = cacheOf(settings);
        const kept = new Map<string, { body: number; at: number }>();
        for (const [number, { key, kind, directive: wish, pass }] of steps.entries()) {
          now += pass;
          const last = kept.get(key);
          const age = last === undefined ? Infinity : now - last.at;
          const maxAge = wish === 'no-cache' ? -1 : wish === 'max-age=1' ? 1000 : Infinity;
          const isHit = age < settings.ttlMs && age <= maxAge;
          const { outcome, forwarded, report } = await ask(
            cache,
            () => {
              if (kind === 'failure') throw FAILURE;
              if (kind === 'bug') throw new TypeError('a bug');
              if (kind === 'none') return undefined;
              return kind === 'partial' ? { body: number, completeness: PARTIAL } : complete(number);
            },
            key,
            wish,
          );
          expect(forwarded).toBe(isHit ? 0 : 1);
          if (isHit) {
            expect(outcome).toEqual(complete(last?.body));
            expect(report).toEqual({ status: `hit; ttl=${Math.floor((settings.ttlMs - age) / 1000)}`, ageSeconds: Math.floor(age / 1000) }); // prettier-ignore
            continue;
          }
          const standsIn = kind === 'failure' && settings.staleIfErrorMs > 0 && age < settings.ttlMs + settings.staleIfErrorMs && age <= maxAge; // prettier-ignore
          if (standsIn) {
            expect(outcome).toEqual({ body: last?.body, completeness: { level: 'stale', reason: 'upstream-error' } });
            expect(report?.ageSeconds).toBe(Math.floor(age / 1000));
            expect(report?.status).toMatch(/^fwd=stale; ttl=-?\d+; detail=stale-if-error$/);
            continue;
          }
          expect(report?.ageSeconds).toBeUndefined();
          expect(report?.status).toMatch(/^fwd=(miss|stale|request)(; stored)?$/);
          if (kind === 'failure') expect(outcome).toBe(FAILURE);
          if (kind === 'bug') expect(outcome).toBeInstanceOf(TypeError);
          if (kind === 'none') kept.delete(key);
          const isKept = kind === 'complete' && wish !== 'no-store';
          expect(report?.status.endsWith('; stored')).toBe(isKept);
          if (isKept) kept.set(key, { body: number, at: now });
        }
      }),
    );
  });

  it('a caller who left gets no stale answer in its place', async () => {
    const cache = cacheOf();
    await ask(cache, () => complete('good'));
    now += 1000;
    const { outcome } = await ask(cache, () => {
      throw new CallerLeft();
    });
    expect(outcome).toBeInstanceOf(CallerLeft);
  });

  it.each([
    ['circuit-open', /^hit; ttl=-1; detail=stale-if-error$/],
    ['saturated', /^hit; ttl=-1; detail=stale-if-error$/],
    ['upstream-timeout', /^fwd=stale; ttl=-1; detail=stale-if-error$/],
  ] as const)('RFC 9211 %s: says whether it was forwarded', async (reason, status) => {
    const cache = cacheOf();
    await ask(cache, () => complete('good'));
    now += 1500;
    const { report } = await ask(cache, () => {
      throw new ExternalSystemFailure(reason, '');
    });
    expect(report?.status).toMatch(status);
  });

  describe('with a store that replicas share', () => {
    const entry = (body: unknown, storedAt = now): CacheEntry => ({
      answer: { body, completeness: COMPLETE },
      storedAt,
    });

    it('gives what is there, and keeps it here', async () => {
      read.mockResolvedValue(entry('shared', now - 300));
      const cache = cacheOf({}, shared);
      expect(await ask(cache, fails)).toMatchObject({ outcome: complete('shared'), forwarded: 0 });
      expect(await ask(cache, fails)).toMatchObject({ outcome: complete('shared'), forwarded: 0 });
      expect(read).toHaveBeenCalledTimes(1);
    });

    it('is asked once for a request, whether before the call or after it failed', async () => {
      read.mockResolvedValue(undefined);
      expect((await ask(cacheOf({}, shared), fails)).outcome).toBe(FAILURE);
      expect(read).toHaveBeenCalledTimes(1);
      expect((await ask(cacheOf({ ttlMs: 0 }, shared), fails)).outcome).toBe(FAILURE);
      expect(read).toHaveBeenCalledTimes(2);
    });

    it('is not asked while a call is in flight, but when that fails', async () => {
      inFlight.add('key');
      read.mockResolvedValue(entry('shared'));
      const { outcome, report } = await ask(cacheOf({}, shared), fails);
      expect(outcome).toEqual({ body: 'shared', completeness: { level: 'stale', reason: 'upstream-error' } });
      expect([read.mock.calls.length, report?.status]).toEqual([1, 'fwd=stale; ttl=1; detail=stale-if-error']);
    });

    it('is not asked by who wants nothing that is kept', async () => {
      await ask(cacheOf({}, shared), fails, 'key', 'no-cache');
      expect(read).not.toHaveBeenCalled();
    });

    it('what came while it was asked is a hit', async () => {
      const cache = cacheOf({}, shared);
      read.mockImplementationOnce(async () => {
        await ask(cache, () => complete('meanwhile'), 'key', 'no-cache');
        return undefined;
      });
      expect(await ask(cache, fails)).toMatchObject({ outcome: complete('meanwhile'), forwarded: 0 });
    });

    it('the newer of two entries counts', async () => {
      const cache = cacheOf({}, shared);
      await ask(cache, () => complete('here'));
      now += 1500;
      read.mockResolvedValueOnce(entry('older', now - 2000)).mockResolvedValueOnce(entry('newer', now - 500));
      expect((await ask(cache, fails)).outcome).toMatchObject({ body: 'here', completeness: { level: 'stale' } });
      expect((await ask(cache, fails)).outcome).toEqual(complete('newer'));
    });

    it.each([
      ['expired', -3000],
      ['from the future', 5001],
    ])('an entry that is %s is none', async (_, offset) => {
      read.mockResolvedValue(entry('odd', now + offset));
      expect((await ask(cacheOf({}, shared), fails)).outcome).toBe(FAILURE);
    });

    it('an entry of a clock a little ahead has no age yet', async () => {
      read.mockResolvedValue(entry('ahead', now + 4000));
      expect((await ask(cacheOf({}, shared), fails)).report).toEqual({ status: 'hit; ttl=1', ageSeconds: 0 });
    });

    it('is told what to keep, for how long, and what is gone', async () => {
      write.mockReturnValue(true);
      const cache = cacheOf({}, shared);
      await ask(cache, () => complete('good'));
      expect(write.mock.calls).toEqual([['details', 'key', entry('good'), 3000]]);
      await ask(cache, () => undefined, 'other');
      expect(remove.mock.calls).toEqual([['other']]);
    });

    it.each([true, false])(
      'RFC 9211 what is too large for this process counts as stored where it is shared: %s',
      async (there) => {
        memory = new MemoryStore(1, 1);
        write.mockReturnValue(there);
        const { report } = await ask(cacheOf({}, shared), () => complete('good'));
        expect(report?.status).toBe(`fwd=miss${there ? '; stored' : ''}`);
      },
    );

    it('is closed with the application', () => {
      cacheOf({}, shared).onApplicationShutdown();
      cacheOf().onApplicationShutdown();
      expect(close).toHaveBeenCalledTimes(1);
    });
  });

  it('tells the metrics of each request once', async () => {
    const cache = cacheOf();
    await ask(cache, () => complete('good'));
    await ask(cache, fails);
    await ask(cache, () => complete('good'), 'key', 'no-cache');
    now += 1500;
    await ask(cache, fails);
    await ask(cache, () => complete('good'));
    expect(served.mock.calls.map(([, result]: unknown[]) => result)).toEqual([
      'miss',
      'hit',
      'bypassed',
      'stale',
      'expired',
    ]);
  });
});
