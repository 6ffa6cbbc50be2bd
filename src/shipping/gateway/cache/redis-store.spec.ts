import { Registry } from 'prom-client';
import type { RedisConnection } from '../../../redis/redis-connection';
import { CacheMetrics } from './cache.metrics';
import { RedisStore } from './redis-store';

const ENTRY = { text: '{"items":["ä\\n"]}', storedAt: 1_700_000_000_000 };

describe('RedisStore', () => {
  const values = new Map<string, string>();
  const client = {
    getrange: jest.fn((key: string, from: number, to: number) =>
      Promise.resolve((values.get(key) ?? '').slice(from, to + 1)),
    ),
    set: jest.fn((key: string, value: string) => Promise.resolve(values.set(key, value))),
    del: jest.fn((key: string) => Promise.resolve(values.delete(key))),
  };
  const connection = { client, ready: true };
  const registry = new Registry();
  const metrics = new CacheMetrics(registry);
  const storeOf = (scope: string): RedisStore =>
    new RedisStore(connection as unknown as RedisConnection, scope, 3000, metrics);
  const store = storeOf('http://a StandardProtocol');

  beforeEach(() => {
    values.clear();
    connection.ready = true;
  });

  it('D75 keeps entries for their time, under digests, for one base URL and protocol', async () => {
    store.set('paged ["secret"]', ENTRY);
    expect(await store.get('paged ["secret"]')).toEqual(ENTRY);
    expect(client.set).toHaveBeenLastCalledWith(expect.anything(), expect.anything(), 'PX', 3000);
    expect([...values.keys()]).toEqual([expect.stringMatching(/^shipping-query-service:cache:2:[\w-]{43}$/)]);
    expect(await storeOf('http://b StandardProtocol').get('paged ["secret"]')).toBeUndefined();
    store.delete('paged ["secret"]');
    expect(values.size).toBe(0);
  });

  it.each(['nonsense', '{"format":1}', '17', '17 {"cut', ' {}', '-1 {}', `17 "${'x'.repeat(1_100_000)}"`])(
    'D75 an entry %.20j is a miss, and counted',
    async (value) => {
      store.set('a', ENTRY);
      for (const key of values.keys()) values.set(key, value);
      registry.resetMetrics();
      expect(await store.get('a')).toBeUndefined();
      expect(await registry.getSingleMetricAsString('shipping_cache_store_failures_total')).toContain(
        'shipping_cache_store_failures_total{failure="entry"} 1',
      );
    },
  );

  it('D75 a large entry is not sent; lost, slow or full Redis is a miss', async () => {
    store.set('a', { ...ENTRY, text: JSON.stringify('x'.repeat(1_048_576)) });
    expect(values.size).toBe(0);
    store.set('a', ENTRY);
    for (const command of [client.getrange, client.set, client.del]) command.mockRejectedValueOnce(new Error('OOM'));
    expect(await store.get('a')).toBeUndefined();
    store.set('a', ENTRY);
    store.delete('a');
    connection.ready = false;
    expect(await store.get('a')).toBeUndefined();
    store.set('b', ENTRY);
    store.delete('a');
    expect(values.size).toBe(1);
  });
});
