import { Registry } from 'prom-client';
import { thrownBy } from '../../../../test/support/units';
import { SharedBody } from '../../../http/shared-body';
import { failedStatus, timedOut, UpstreamFailure, wrongShape } from '../../../resilience/upstream-failure';
import { COMPLETE, NO_MATCH, PARTIAL, type QueryResult } from '../../model/query-result';
import { GatewayMetrics } from '../gateway.metrics';
import type { UpstreamRequest } from '../protocol/shipping-protocol';
import { bodyOf } from '../protocol/standard-protocol';
import { type CacheEntry, cacheKey, type CacheStore, MemoryStore, ResultCache } from './result-cache';

const TTL_MS = 1000;
const STALE_MS = 2000;
let now = 0;

beforeEach(() => {
  now = 1_000_000;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
});

const memory = (): CacheStore => new MemoryStore(1_000_000);
const cacheOf = (store: CacheStore = memory(), ttlMs = TTL_MS, staleIfErrorMs = STALE_MS, isForwarding = false) =>
  new ResultCache({ ttlMs, staleIfErrorMs }, store, new GatewayMetrics(new Registry()), isForwarding);
const complete = (body: unknown): QueryResult<unknown> => ({ body, completeness: COMPLETE });

/** What a client gets: the completeness, how the cache served the request, and the body. */
async function ask(cache: ResultCache, outcome: QueryResult<unknown> | Error, key = 'a'): Promise<unknown[]> {
  const call = (): Promise<QueryResult<unknown>> =>
    outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  try {
    const { body, completeness, cache: report } = await cache.resolve('paged', key, call);
    return [completeness.level, report?.status, report?.ageSeconds, body];
  } catch (error) {
    return [error instanceof UpstreamFailure ? error.reason : 'internal'];
  }
}

describe('ResultCache', () => {
  it('D75 a fresh entry in memory is found at once, and makes nobody wait', async () => {
    const cache = cacheOf();
    await ask(cache, complete({ n: 1 }));
    const order: string[] = [];
    const hit = cache.resolve('paged', 'a', () => Promise.reject(new Error('called'))).then(() => order.push('hit'));
    await Promise.resolve().then(() => order.push('a turn later'));
    await hit;
    expect(order).toEqual(['hit', 'a turn later']);
  });

  it('D74 each client parses a copy of its own, also of a shared call and of a hit', async () => {
    const cache = cacheOf();
    const body = { items: [{ id: 'A' }] };
    const call = jest.fn(() => Promise.resolve({ body, completeness: COMPLETE }));
    const shared = await Promise.all([1, 2].map(() => cache.resolve('paged', 'a', call)));
    const hits = await Promise.all([1, 2].map(() => cache.resolve('paged', 'a', call)));
    const bodies = [...shared, ...hits].map((result) => result.body);
    expect([call.mock.calls.length, new Set([body, ...bodies]).size]).toEqual([1, 5]);
    for (const each of bodies) {
      expect(each).toEqual(body);
      each.items.length = 0;
    }
    expect((await cache.resolve('paged', 'a', call)).body).toEqual(body);
  });

  it('D75 an error of the service, and a failure without an entry, are thrown to each client', async () => {
    const cache = cacheOf();
    for (const error of [timedOut(), new TypeError('bug')]) {
      const call = jest.fn(() => Promise.reject(error));
      const results = await Promise.allSettled([1, 2].map(() => cache.resolve('paged', 'a', call)));
      expect(results.map((result) => (result as PromiseRejectedResult).reason as unknown)).toEqual([error, error]);
      expect(call).toHaveBeenCalledTimes(1);
    }
  });

  it('D75 entries from ahead of the clock are ignored, but for the skew of replicas', async () => {
    const entry = { body: SharedBody.of('"old"'), completeness: COMPLETE, storedAt: now + 5000 };
    const nothing = (): void => undefined;
    const fixed: CacheStore = { get: () => entry, set: nothing, update: nothing, delete: nothing };
    expect(await ask(cacheOf(fixed), complete('new'))).toEqual(['complete', 'hit', 0, 'old']);
    now -= 1;
    expect(await ask(cacheOf(fixed), complete('new'))).toEqual(['complete', 'fwd=miss', undefined, 'new']);
  });

  it('D59 few long copies are held at a time, however many clients wait for theirs', async () => {
    const long = `"${'x'.repeat(70_000)}"`;
    const waiting = new Set<string>();
    let most = 0;
    const get = (key: string) => {
      most = Math.max(most, waiting.add(key).size);
      return Promise.resolve({ body: SharedBody.of(long), completeness: COMPLETE, storedAt: now });
    };
    const nothing = (): void => undefined;
    const cache = cacheOf({ get, set: nothing, update: nothing, delete: nothing });
    const clients = Array.from({ length: 200 }, async (_, index) => {
      await ask(cache, new Error('called'), String(index));
      waiting.delete(String(index));
    });
    await Promise.all(clients);
    // 16 wait for their turns, as many for those of their clients, and one is read.
    expect(most).toBe(33);
  });

  const FAILURE = timedOut();
  // An entry is fresh for 1 s, and may be served for 2 s more, unless the row says otherwise.
  it.each<{ name: string; ageMs: number; after: QueryResult<unknown> | Error; expected: unknown[]; times?: number[] }>([
    { name: 'a fresh entry', ageMs: 999, after: FAILURE, expected: ['complete', 'hit', 0, 'old'] },
    { name: 'an old one', ageMs: 1000, after: complete('new'), expected: ['complete', 'fwd=stale', undefined, 'new'] },
    { name: 'a failure', ageMs: 2999, after: FAILURE, expected: ['stale', 'fwd=stale', 2, 'old'] },
    { name: 'a failure too late', ageMs: 3000, after: FAILURE, expected: ['upstream-timeout'] },
    { name: 'one too old', ageMs: 3000, after: complete('new'), expected: ['complete', 'fwd=miss', undefined, 'new'] },
    { name: 'a bug', ageMs: 1000, after: new TypeError(), expected: ['internal'] },
    { name: 'no match', ageMs: 1000, after: NO_MATCH, expected: ['complete', 'fwd=stale', undefined, undefined] },
    { name: 'no stale ones', ageMs: 1000, after: FAILURE, expected: ['upstream-timeout'], times: [1000, 0] },
    { name: 'stale ones alone', ageMs: 1, after: FAILURE, expected: ['stale', 'fwd=stale', 0, 'old'], times: [0, 2] },
  ])('D75 $name, after $ageMs ms', async ({ ageMs, after, expected, times }) => {
    const cache = cacheOf(memory(), ...(times ?? []));
    await ask(cache, complete('old'));
    now += ageMs;
    expect(await ask(cache, after)).toEqual(expected);
  });

  it.each([
    { name: 'a newer result replaces', after: complete('new'), left: 'new' },
    { name: 'a partial result leaves', after: { body: 'x', completeness: PARTIAL }, left: 'old' },
    { name: 'a failure leaves', after: FAILURE, left: 'old' },
    { name: 'no match removes', after: NO_MATCH, left: undefined },
    { name: '401 removes', after: failedStatus(401), left: undefined },
    { name: '403 removes', after: failedStatus(403), left: undefined },
    { name: '403 with Retry-After leaves', after: failedStatus(403, 0), left: 'old' },
    { name: '410 leaves', after: failedStatus(410), left: 'old' },
  ])('D75 $name the entry', async ({ after, left }) => {
    const cache = cacheOf();
    await ask(cache, complete('old'));
    await ask(cache, complete('of another key'), 'b');
    now += TTL_MS;
    await ask(cache, after);
    expect((await ask(cache, FAILURE))[3]).toBe(left);
  });

  const HTML = { 'content-type': 'text/html' };
  const PAUSE = { 'retry-after': '30' };
  it.each<[name: string, isStale: boolean, status: number, headers?: object, data?: unknown, isForwarding?: boolean]>([
    ...[500, 408, 429, 404].map((status) => [String(status), true, status] as [string, boolean, number]),
    ['a 404 that is a web page', true, 404, HTML, '<html>'],
    ['a 403 that is a web page', true, 403, HTML, '<html>'],
    ['a 403 that asks for a pause', true, 403, PAUSE],
    ...[400, 401, 403, 410].map((status) => [String(status), false, status] as [string, boolean, number]),
    ['a 403 in words', false, 403, { 'content-type': 'text/plain' }, 'Your credential is <b>revoked</b>.'],
    ['a 403 that is a web page, with headers of the client', false, 403, HTML, '<html>', true],
    ['a 401 that is a web page', false, 401, HTML, '<html>'],
  ])(
    'D75 after %s a result is stale: %p',
    async (_, isStale, status, headers = {}, data = '', isForwarding = false) => {
      const cache = cacheOf(memory(), TTL_MS, STALE_MS, isForwarding);
      await ask(cache, complete('old'));
      now += TTL_MS;
      const failure = thrownBy(() => bodyOf({ status, headers: headers as Record<string, string>, data })) as Error;
      expect((await ask(cache, failure))[0]).toBe(isStale ? 'stale' : 'upstream-error');
      if (isStale) expect((await ask(cache, wrongShape('no JSON')))[0]).toBe('stale');
    },
  );

  it('D31 a hit has the limit of its list, and a stale result none', async () => {
    const cache = cacheOf();
    const limited = { body: [], completeness: { level: 'complete', limit: 1 } } as const;
    const resolve = async (call: () => Promise<QueryResult<unknown>>): Promise<unknown> =>
      (await cache.resolve('details', 'a', call)).completeness;
    for (let time = 0; time < 2; time += 1) {
      expect(await resolve(() => Promise.resolve(limited))).toEqual(limited.completeness);
    }
    now += TTL_MS;
    expect(await resolve(() => Promise.reject(FAILURE))).not.toHaveProperty('limit');
  });
});

it('D75 D22 requests that differ in operation, parameters or forwarded headers have keys of their own', () => {
  const [one, other] = ['details', 'single'].map((name) => ({ operation: { name, path: () => '/one' } }));
  const forwarded = [{ A: 'a' }, { B: 'a' }, { A: 'a","B":"a' }, { A: 'a', B: 'a' }, { A: '' }];
  const requests: object[] = [
    ...[{}, { id: 'a' }, { id: 'A' }, { parameters: { Limit: 1 } }, { parameters: { SearchTerm: 'a&Limit=1' } }],
    ...forwarded.map((headers) => ({ forwarded: headers })),
  ].map((members) => ({ ...one, ...members }));
  const keys = [...requests, other].map((request) => cacheKey(request as UpstreamRequest));
  expect(new Set(keys).size).toBe(requests.length + 1);
});

const entryOf = (length: number): CacheEntry => {
  const body = SharedBody.of(JSON.stringify('x'.repeat(length)));
  return { body, completeness: COMPLETE, storedAt: 0 };
};

describe('D75 the store in the process', () => {
  it('counts a coding that was added to an entry', async () => {
    const store = new MemoryStore(22_100);
    const random = Array.from({ length: 4000 }, (_, index) => Math.sin(index))
      .join()
      .slice(0, 10_000);
    const grown = { ...entryOf(0), body: SharedBody.of(JSON.stringify(random)) };
    store.set('a', entryOf(9000));
    store.set('b', grown);
    expect(store.get('a')).toBeDefined();
    await grown.body.compressed();
    store.update('b', grown);
    expect([store.get('a'), store.get('b')?.body]).toEqual([undefined, grown.body]);
  });

  it('stores nothing again that was removed or replaced meanwhile', () => {
    const store = new MemoryStore(30_000);
    const [old, newer] = [entryOf(1), entryOf(2)];
    store.set('a', old);
    store.delete('a');
    store.update('a', old);
    expect(store.get('a')).toBeUndefined();
    store.set('a', newer);
    store.update('a', old);
    expect(store.get('a')).toBe(newer);
  });
});
