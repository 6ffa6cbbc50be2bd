import { whenETagsWork } from '../../../http/responses/etags';
import { SharedBody } from '../../../http/responses/shared-body';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { GatewayMetrics } from '../gateway.metrics';
import { RedisStore } from './redis-store';
import type { CacheEntry } from './result-cache';

beforeAll(() => whenETagsWork);

/** A Redis that keeps values in this process. */
function connectionOf(values: Map<string, Buffer>): RedisConnection {
  const client = {
    set: (name: string, value: Buffer) => Promise.resolve(values.set(name, value)),
    getrangeBuffer: (name: string) => Promise.resolve(values.get(name)),
  };
  return { ready: true, client } as unknown as RedisConnection;
}

it('D59 what is held of a hit is as large as what is counted of it', async () => {
  const store = new RedisStore(connectionOf(new Map()), 'scope', 60_000, {} as GatewayMetrics);
  const body = SharedBody.of('x'.repeat(100_000));
  const gzip = await body.compressed();
  store.set('key', { storedAt: Date.now(), body } as unknown as CacheEntry);
  const hit = (await store.get('key'))?.body;
  const held = [hit?.json, hit?.encoded] as Buffer[];
  expect(held.map(String)).toEqual([String(body.json), String(gzip)]);
  expect(held.map(({ buffer }) => buffer.byteLength)).toEqual([100_000, gzip.length]);
});
