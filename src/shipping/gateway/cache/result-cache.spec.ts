import * as fc from 'fast-check';
import type { Settings } from '../../../config/settings';
import { Cancellation } from '../../../resilience/cancellation';
import { ClientDisconnectedError, UpstreamFailure } from '../../../resilience/upstream-failure';
import { COMPLETE, NO_MATCH, PARTIAL, type QueryResult } from '../../model/query-result';
import { ExternalSystemFailure } from '../../model/shipping-exceptions';
import { detailsRequest } from '../../queries/get-shipping-details/get-shipping-details.query';
import type { UpstreamOperation } from '../protocol/shipping-protocol';
import type { CacheMetrics } from './cache.metrics';
import { MemoryStore, type CacheEntry } from './memory-store';
import type { RedisStore } from './redis-store';
import { readDirectives, ResultCache, type Fetched } from './result-cache';
import { anyText } from '../../../../test/support/any-text';

describe('readDirectives', () => {
  it.each([
    [undefined, Infinity, true],
    ['', Infinity, true],
    ['no-cache', 0, true],
    ['No-Cache', 0, true],
    ['no-store', Infinity, false],
    ['no-cache, no-store', 0, false],
    ['max-age=0', 0, true],
    ['max-age=60', 60_000, true],
    ['max-age="60"', 60_000, true],
    ['max-age=60, max-age=5', 5000, true],
    ['no-cache, max-age=60', 0, true],
    ['max-age', 0, true],
    ['max-age=soon', 0, true],
    ['max-age=-1', 0, true],
    [' , only-if-cached,\tmax-stale=5 , no-cache', 0, true],
    ['private="no-cache", x', Infinity, true],
    ['x-no-cache', Infinity, true],
    ['no-cached', Infinity, true],
    ['@ no-cache', Infinity, true],
  ])('RFC 9111 %j', (header, maxAgeMs, store) => {
    expect(readDirectives(header)).toEqual({ maxAgeMs, store });
  });

  it('never throws, and never allows more than without the header', () => {
    const words = fc.constantFrom('no-cache', 'max-age', 'no-store', '=', ',', ' ', '"', '5', ';', '\\');
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.array(words).map((all) => all.join('')),
        ),
        (header) => {
          const { maxAgeMs, store } = readDirectives(header);
          expect(maxAgeMs).toBeGreaterThanOrEqual(0);
          expect(typeof store).toBe('boolean');
        },
      ),
    );
  });
});

const SETTINGS: Settings['cache'] = { ttlMs: 1000, staleIfErrorMs: 2000, maxBytes: 1_000_000 };
const complete = (body: unknown): QueryResult<unknown> => ({ body, completeness: COMPLETE });
const DETAILS = detailsRequest({}).operation;
const FAILURE = new ExternalSystemFailure(new UpstreamFailure('upstream-error', 'it failed'));

describe('ResultCache', () => {
  const read = jest.fn<Promise<CacheEntry | undefined> | undefined, [operation: UpstreamOperation, key: string]>();
  const write = jest.fn<boolean, [operation: UpstreamOperation, key: string, entry: CacheEntry, keepMs: number]>();
  const remove = jest.fn();
  const shared = { read, write, remove } as unknown as RedisStore;
  const inFlight = new Set<string>();
  const served = jest.fn();
  let now = 0;
  let memory: MemoryStore;

  beforeEach(() => {
    for (const mock of [read, write, remove, served]) mock.mockReset();
    inFlight.clear();
    now = 1_000_000;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    memory = new MemoryStore(1_000_000);
  });

  const cacheOf = (settings: Partial<Settings['cache']> = {}, store?: RedisStore): ResultCache =>
    new ResultCache({ ...SETTINGS, ...settings }, memory, store, (key) => inFlight.has(key), {
      served,
    } as unknown as CacheMetrics);

  /** One call, and the result of the external system. */
  async function resolve(cache: ResultCache, external: () => QueryResult<unknown>, key = 'key', cacheControl?: string) {
    let forwarded = 0;
    const resolved = await cache
      .resolve<unknown>({
        operation: DETAILS,
        key,
        cacheControl,
        attempt: () => {
          forwarded += 1;
          return Promise.resolve().then(external);
        },
        execute: (attempt): Promise<Fetched<unknown>> => attempt(new Cancellation()),
      })
      .catch((error: unknown) => error as Error);
    const report = resolved instanceof Error ? (resolved as Partial<ExternalSystemFailure>).cache : resolved.cache;
    if (resolved instanceof Error) return { outcome: resolved, forwarded, report };
    const { body, completeness } = resolved;
    return { outcome: { body, completeness }, forwarded, report };
  }

  const fails = (): never => {
    throw FAILURE;
  };

  it('behaves like its model in any order of events', async () => {
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
        memory = new MemoryStore(1_000_000);
        const cache = cacheOf(settings);
        const kept = new Map<string, { body: number; at: number }>();
        for (const [number, { key, kind, directive: given, pass }] of steps.entries()) {
          now += pass;
          const last = kept.get(key);
          const age = last === undefined ? Infinity : now - last.at;
          const maxAge = given === 'no-cache' ? -1 : given === 'max-age=1' ? 1000 : Infinity;
          const isHit = age < settings.ttlMs && age <= maxAge;
          const { outcome, forwarded, report } = await resolve(
            cache,
            () => {
              if (kind === 'failure') throw FAILURE;
              if (kind === 'bug') throw new TypeError('a bug');
              if (kind === 'none') return NO_MATCH;
              return kind === 'partial' ? { body: number, completeness: PARTIAL } : complete(number);
            },
            key,
            given,
          );
          expect(forwarded).toBe(isHit ? 0 : 1);
          if (isHit) {
            expect(outcome).toEqual(complete(last?.body));
            expect(report).toEqual({ status: `hit; ttl=${Math.floor((settings.ttlMs - age) / 1000)}`, ageSeconds: Math.floor(age / 1000) }); // prettier-ignore
            continue;
          }
          const isStale = kind === 'failure' && settings.staleIfErrorMs > 0 && age < settings.ttlMs + settings.staleIfErrorMs && age <= maxAge; // prettier-ignore
          if (isStale) {
            expect(outcome).toEqual({ body: last?.body, completeness: { level: 'stale', reason: 'upstream-error' } });
            expect(report?.ageSeconds).toBe(Math.floor(age / 1000));
            expect(report?.status).toMatch(/^fwd=stale; ttl=-?\d+; detail=stale-if-error$/);
            continue;
          }
          expect(report?.ageSeconds).toBeUndefined();
          if (kind === 'bug') {
            expect(outcome).toBeInstanceOf(TypeError);
            continue;
          }
          expect(report?.status).toMatch(/^fwd=(miss|stale|request)(; stored)?$/);
          if (kind === 'failure') expect(outcome).toEqual(FAILURE);
          if (kind === 'none') kept.delete(key);
          const isKept = kind === 'complete' && given !== 'no-store';
          expect(report?.status.endsWith('; stored')).toBe(isKept);
          if (isKept) kept.set(key, { body: number, at: now });
        }
      }),
    );
  });

  it('a client that disconnected gets no stale result', async () => {
    const cache = cacheOf();
    await resolve(cache, () => complete('good'));
    now += 1000;
    const { outcome } = await resolve(cache, () => {
      throw new ClientDisconnectedError();
    });
    expect(outcome).toBeInstanceOf(ClientDisconnectedError);
  });

  it.each([
    ['circuit-open', /^hit; ttl=-1; detail=stale-if-error$/],
    ['saturated', /^hit; ttl=-1; detail=stale-if-error$/],
    ['upstream-timeout', /^fwd=stale; ttl=-1; detail=stale-if-error$/],
  ] as const)('RFC 9211 %s: reports whether the call was forwarded', async (reason, status) => {
    const cache = cacheOf();
    await resolve(cache, () => complete('good'));
    now += 1500;
    const { report } = await resolve(cache, () => {
      throw new ExternalSystemFailure(new UpstreamFailure(reason, ''));
    });
    expect(report?.status).toMatch(status);
  });

  describe('with a store that replicas share', () => {
    const entry = (body: unknown, storedAt = now): CacheEntry => ({ body, storedAt });

    it('serves its entries, and keeps them in this process', async () => {
      read.mockResolvedValue(entry('shared', now - 300));
      const cache = cacheOf({}, shared);
      expect(await resolve(cache, fails)).toMatchObject({ outcome: complete('shared'), forwarded: 0 });
      expect(await resolve(cache, fails)).toMatchObject({ outcome: complete('shared'), forwarded: 0 });
      expect(read).toHaveBeenCalledTimes(1);
    });

    it('is read once for a request, before the call or after its failure', async () => {
      read.mockResolvedValue(undefined);
      expect((await resolve(cacheOf({}, shared), fails)).outcome).toEqual(FAILURE);
      expect(read).toHaveBeenCalledTimes(1);
      expect((await resolve(cacheOf({ ttlMs: 0 }, shared), fails)).outcome).toEqual(FAILURE);
      expect(read).toHaveBeenCalledTimes(2);
    });

    it('is not read while a call is in flight, but when that fails', async () => {
      inFlight.add('key');
      read.mockResolvedValue(entry('shared'));
      const { outcome, report } = await resolve(cacheOf({}, shared), fails);
      expect(outcome).toEqual({ body: 'shared', completeness: { level: 'stale', reason: 'upstream-error' } });
      expect([read.mock.calls.length, report?.status]).toEqual([1, 'fwd=stale; ttl=1; detail=stale-if-error']);
    });

    it('is not read with no-cache', async () => {
      await resolve(cacheOf({}, shared), fails, 'key', 'no-cache');
      expect(read).not.toHaveBeenCalled();
    });

    it('an entry that was stored during the read is a hit', async () => {
      const cache = cacheOf({}, shared);
      read.mockImplementationOnce(async () => {
        await resolve(cache, () => complete('meanwhile'), 'key', 'no-cache');
        return undefined;
      });
      expect(await resolve(cache, fails)).toMatchObject({ outcome: complete('meanwhile'), forwarded: 0 });
    });

    it('the newer of two entries is served', async () => {
      const cache = cacheOf({}, shared);
      await resolve(cache, () => complete('here'));
      now += 1500;
      read.mockResolvedValueOnce(entry('older', now - 2000)).mockResolvedValueOnce(entry('newer', now - 500));
      expect((await resolve(cache, fails)).outcome).toMatchObject({ body: 'here', completeness: { level: 'stale' } });
      expect((await resolve(cache, fails)).outcome).toEqual(complete('newer'));
    });

    it.each([
      ['expired', -3000],
      ['from the future', 5001],
    ])('an entry that is %s is not served', async (_, offset) => {
      read.mockResolvedValue(entry('odd', now + offset));
      expect((await resolve(cacheOf({}, shared), fails)).outcome).toEqual(FAILURE);
    });

    it('an entry of a clock a little ahead has no age yet', async () => {
      read.mockResolvedValue(entry('ahead', now + 4000));
      expect((await resolve(cacheOf({}, shared), fails)).report).toEqual({ status: 'hit; ttl=1', ageSeconds: 0 });
    });

    it('an entry of a clock a little ahead is no hit where the lifetime is 0', async () => {
      read.mockResolvedValue(entry('ahead', now + 4000));
      const cache = cacheOf({ ttlMs: 0 }, shared);
      expect((await resolve(cache, fails)).outcome).toMatchObject({ completeness: { level: 'stale' } });
      expect(await resolve(cache, () => complete('new'))).toMatchObject({ outcome: complete('new'), forwarded: 1 });
    });

    it('gets entries with their lifetime, and removals', async () => {
      write.mockReturnValue(true);
      const cache = cacheOf({}, shared);
      await resolve(cache, () => complete('good'));
      expect(write.mock.calls).toEqual([[DETAILS, 'key', entry('good'), 3000]]);
      await resolve(cache, () => NO_MATCH, 'other');
      expect(remove.mock.calls).toEqual([['other']]);
    });

    it.each([true, false])(
      'RFC 9211 an entry that is too large for this process counts as stored where it is shared: %s',
      async (there) => {
        memory = new MemoryStore(1);
        write.mockReturnValue(there);
        const { report } = await resolve(cacheOf({}, shared), () => complete('good'));
        expect(report?.status).toBe(`fwd=miss${there ? '; stored' : ''}`);
      },
    );
  });

  it('counts each request once', async () => {
    const cache = cacheOf();
    await resolve(cache, () => complete('good'));
    await resolve(cache, fails);
    await resolve(cache, () => complete('good'), 'key', 'no-cache');
    now += 1500;
    await resolve(cache, fails);
    await resolve(cache, () => complete('good'));
    expect(served.mock.calls.map(([, result]: unknown[]) => result)).toEqual([
      'miss',
      'hit',
      'bypassed',
      'stale',
      'expired',
    ]);
  });
});
