import { whenETagsWork } from '../../../http/responses/etags';
import { SharedBody } from '../../../http/shared-body';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { GatewayMetrics } from '../gateway.metrics';
import { RedisStore } from './redis-store';

beforeAll(() => whenETagsWork);

/** A Redis that keeps values in this process. */
function connectionOf(values: Map<string, Buffer>): RedisConnection {
  const client = {
    set: (name: string, value: Buffer) => Promise.resolve(values.set(name, value)),
    getrangeBuffer: (name: string) => Promise.resolve(values.get(name)),
  };
  return { ready: true, client } as unknown as RedisConnection;
}

const completeness = { level: 'complete', causes: [{ what: "unknown word 'доставлен'" }] } as const;

it('D59 what is held of a hit is as large as what is counted of it', async () => {
  const store = new RedisStore(connectionOf(new Map()), 'scope', 60_000, {} as GatewayMetrics);
  const body = SharedBody.of('x'.repeat(100_000));
  const gzip = await body.compressed();
  store.set('key', { storedAt: Date.now(), body, completeness });
  const hit = await store.get('key');
  expect(hit?.completeness).toEqual(completeness);
  const held = [hit?.body.json, hit?.body.encoded] as Buffer[];
  expect(held.map(String)).toEqual([String(body.json), String(gzip)]);
  expect(held.map(({ buffer }) => buffer.byteLength)).toEqual([100_000, gzip.length]);
});

it('D75 a value that is no entry of this name, or was cut off, is a miss', async () => {
  const values = new Map<string, Buffer>();
  const inc = jest.fn();
  const store = new RedisStore(connectionOf(values), 'scope', 60_000, { storeFailures: { inc } } as never);
  for (const key of ['a', 'b']) store.set(key, { storedAt: Date.now(), body: SharedBody.of(key), completeness });
  const [[name, own], [, other]] = [...values] as [[string, Buffer], [string, Buffer]];
  const texts = ['null', '5', '{}', '[]', '[1]', '{"items":{}}', '"text"', '17 {"cut'].flatMap((text) => [
    text,
    `${text}\n`,
  ]);
  const cutOff = [own.subarray(1), own.subarray(0, -1), Buffer.concat([own, Buffer.from(']')])];
  const foreign = [null, 1, other, ...cutOff, ...[...texts, '\xff\0'].map((text) => Buffer.from(text, 'latin1'))];
  for (const value of foreign as Buffer[]) {
    values.set(name, value);
    expect(await store.get('a')).toBeUndefined();
  }
  expect(inc.mock.calls).toEqual(foreign.map(() => [{ failure: 'entry' }]));
  values.set(name, own);
  expect((await store.get('a'))?.body.json.toString()).toBe('a');
});
