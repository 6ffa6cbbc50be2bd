import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import type { RedisConnection } from '../../../redis/redis-connection';
import { COMPLETE } from '../../model/completeness';
import { toLookupItems } from '../reply-mapping';
import { encodeEntry, type CacheEntry } from './cache-entry';
import { MAX_ENTRY_BYTES, RedisStore } from './redis-store';

const { body } = toLookupItems({ ShippingDetails: [{ Id: 'SHP-1' }] });
const ENTRY: CacheEntry = { answer: { body, completeness: COMPLETE }, storedAt: 1000 };
const TEXT = encodeEntry('details', ENTRY);

describe('RedisStore', () => {
  const getrange = jest.fn<Promise<string>, [key: string, from: number, to: number]>();
  const set = jest.fn<Promise<string>, [key: string, value: string, unit: 'PX', milliseconds: number]>();
  const del = jest.fn<Promise<number>, [key: string]>();
  const storeFailed = jest.fn();
  const log: string[] = [];
  let connection: { ready: boolean; client: object; close: jest.Mock };
  let store: RedisStore;
  let now = 0;

  beforeAll(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(Logger.prototype, 'log').mockImplementation((message: unknown) => log.push(String(message)));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => log.push(String(message)));
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });
  beforeEach(() => {
    for (const mock of [getrange, set, del, storeFailed]) mock.mockReset();
    getrange.mockResolvedValue(TEXT);
    set.mockResolvedValue('OK');
    del.mockResolvedValue(1);
    log.length = 0;
    now = 0;
    connection = { ready: true, client: { getrange, set, del }, close: jest.fn() };
    store = storeOf('scope');
  });

  const storeOf = (scope: string): RedisStore =>
    new RedisStore(connection as unknown as RedisConnection, scope, { storeFailed });
  const namesOf = (mock: jest.Mock): unknown[] => mock.mock.calls.map(([name]: unknown[]) => name);

  it('reads what it wrote, under a name that tells neither key nor scope', async () => {
    expect(store.write('details', 'details /x?SearchTerm=a', ENTRY, 5000)).toBe(true);
    const [name, text, , milliseconds] = set.mock.calls[0] ?? [];
    expect([name, milliseconds]).toEqual([expect.stringMatching(/^shipping-query-service:answer:[\w-]{43}$/), 5000]);
    getrange.mockResolvedValue(String(text));
    expect(await store.read('details', 'details /x?SearchTerm=a')).toEqual(ENTRY);
    store.remove('details /x?SearchTerm=a');
    expect([namesOf(getrange), namesOf(del)]).toEqual([[name], [name]]);
    expect(getrange.mock.calls[0]?.slice(1)).toEqual([0, MAX_ENTRY_BYTES]);
  });

  it('names entries of another key or scope otherwise', async () => {
    await Promise.all([store.read('details', 'a'), store.read('details', 'b'), storeOf('other').read('details', 'a')]);
    expect(new Set(namesOf(getrange)).size).toBe(3);
  });

  it.each([
    ['', 0],
    ['nonsense', 1],
    [encodeEntry('paged', ENTRY), 1],
  ])('finds nothing in %j', async (text, failures) => {
    getrange.mockResolvedValue(text);
    expect(await store.read('details', 'a')).toBeUndefined();
    expect(storeFailed.mock.calls).toEqual(Array(failures).fill(['entry']));
  });

  it('reads once for all who ask at the same time, and anew for those who come later', async () => {
    const [first, second] = [store.read('details', 'a'), store.read('details', 'a')];
    expect(await Promise.all([first, second])).toEqual([ENTRY, ENTRY]);
    expect(getrange).toHaveBeenCalledTimes(1);
    await store.read('details', 'a');
    expect(getrange).toHaveBeenCalledTimes(2);
  });

  it('asks nothing of a connection that is not ready', () => {
    connection.ready = false;
    expect([store.read('details', 'a'), store.write('details', 'a', ENTRY, 1)]).toEqual([undefined, false]);
    store.remove('a');
    expect([getrange, set, del].flatMap(namesOf)).toEqual([]);
  });

  it('after one failure nobody waits: probes go out in the background, until one succeeds', async () => {
    getrange.mockRejectedValue(new Error('Command timed out'));
    expect(await store.read('details', 'a')).toBeUndefined();
    expect(store.read('details', 'b')).toBeUndefined();
    expect(getrange).toHaveBeenCalledTimes(1);
    now += 1500;
    expect(store.read('details', 'c')).toBeUndefined();
    expect(getrange).toHaveBeenCalledTimes(2);
    await settled();
    now += 1500;
    // The circuit stays open for longer than before.
    expect(store.read('details', 'd')).toBeUndefined();
    expect(getrange).toHaveBeenCalledTimes(2);
    now += 1500;
    getrange.mockResolvedValue(TEXT);
    expect(store.read('details', 'e')).toBeUndefined();
    await settled();
    expect(await store.read('details', 'e')).toEqual(ENTRY);
    expect(log).toEqual(['Redis reads fail and are left out for a while: timeout', 'Redis reads succeed again']);
    expect(storeFailed.mock.calls).toEqual([['read'], ['read']]);
  });

  it('writes that fail leave reads alone', async () => {
    set.mockRejectedValue(new Error("OOM command not allowed when used memory > 'maxmemory'."));
    expect(store.write('details', 'a', ENTRY, 1)).toBe(true);
    await settled();
    expect(store.write('details', 'a', ENTRY, 1)).toBe(false);
    expect(await store.read('details', 'a')).toEqual(ENTRY);
    expect([log, storeFailed.mock.calls]).toEqual([
      ['Redis writes fail and are left out for a while: OOM'],
      [['write']],
    ]);
  });

  it('a failure among many successes changes nothing', async () => {
    for (let read = 0; read < 5; read += 1) await store.read('details', String(read));
    getrange.mockRejectedValueOnce(new Error('Command timed out'));
    await store.read('details', 'a');
    expect(await store.read('details', 'a')).toEqual(ENTRY);
    expect(log).toEqual([]);
  });

  it('a lost connection opens no circuit: it keeps requests away by itself', async () => {
    getrange.mockImplementationOnce(() => {
      connection.ready = false;
      return Promise.reject(new Error('Connection is closed.'));
    });
    expect(await store.read('details', 'a')).toBeUndefined();
    connection.ready = true;
    expect(await store.read('details', 'a')).toEqual(ENTRY);
  });

  it('does not write an entry that no reader would take', () => {
    const large = { answer: { body: 'x'.repeat(MAX_ENTRY_BYTES), completeness: COMPLETE }, storedAt: 1 };
    expect(store.write('details', 'a', large, 1)).toBe(false);
    expect(set).not.toHaveBeenCalled();
  });

  it('whatever Redis holds or does, a read finds an entry or nothing', async () => {
    const held = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant(TEXT));
    const reply = fc.oneof(held.map((text) => () => Promise.resolve(text)), fc.string().map((message) => () => Promise.reject(new Error(message)))); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(reply, fc.boolean(), fc.nat(3000)), { maxLength: 20 }), async (steps) => {
        store = storeOf('scope');
        for (const [answer, ready, passed] of steps) {
          getrange.mockImplementationOnce(answer);
          connection.ready = ready;
          now += passed;
          const found = await store.read('details', 'a');
          if (found !== undefined) expect(found).toEqual(ENTRY);
          await settled();
        }
        getrange.mockReset();
      }),
    );
  });

  it('closes its connection', () => {
    store.close();
    expect(connection.close).toHaveBeenCalledTimes(1);
  });

  /** Lets what nobody waits for come to its end. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
});
