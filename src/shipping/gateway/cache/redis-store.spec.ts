import * as fc from 'fast-check';
import type { RedisConnection } from '../../../redis/redis-connection';
import { COMPLETE } from '../../model/completeness';
import { toLookupItems } from '../protocol/response-mapping';
import { detailsRequest } from '../../queries/get-shipping-details/get-shipping-details.request';
import { encodeEntry, type CacheEntry } from './cache-entry';
import { MAX_ENTRY_BYTES, RedisStore } from './redis-store';

const DETAILS = detailsRequest({}).operation;
const { body } = toLookupItems({ ShippingDetails: [{ Id: 'SHP-1' }] });
const ENTRY: CacheEntry = { result: { body, completeness: COMPLETE }, storedAt: 1000 };
const TEXT = encodeEntry(DETAILS, ENTRY);

describe('RedisStore', () => {
  const getrange = jest.fn<Promise<string>, [key: string, from: number, to: number]>();
  const set = jest.fn<Promise<string>, [key: string, value: string, unit: 'PX', milliseconds: number]>();
  const del = jest.fn<Promise<number>, [key: string]>();
  const storeFailed = jest.fn();
  let connection: { ready: boolean; client: object };
  let store: RedisStore;

  beforeEach(() => {
    for (const mock of [getrange, set, del, storeFailed]) mock.mockReset();
    getrange.mockResolvedValue(TEXT);
    set.mockResolvedValue('OK');
    del.mockResolvedValue(1);
    connection = { ready: true, client: { getrange, set, del } };
    store = storeOf('scope');
  });

  const storeOf = (scope: string): RedisStore =>
    new RedisStore(connection as unknown as RedisConnection, scope, { storeFailed });
  const namesOf = (mock: jest.Mock): unknown[] => mock.mock.calls.map(([name]: unknown[]) => name);

  it('reads what it wrote, under a name without key and scope', async () => {
    expect(store.write(DETAILS, 'details /x?SearchTerm=a', ENTRY, 5000)).toBe(true);
    const [name, text, , milliseconds] = set.mock.calls[0] ?? [];
    expect([name, milliseconds]).toEqual([expect.stringMatching(/^shipping-query-service:answer:[\w-]{43}$/), 5000]);
    getrange.mockResolvedValue(String(text));
    expect(await store.read(DETAILS, 'details /x?SearchTerm=a')).toEqual(ENTRY);
    store.remove('details /x?SearchTerm=a');
    expect([namesOf(getrange), namesOf(del)]).toEqual([[name], [name]]);
    expect(getrange.mock.calls[0]?.slice(1)).toEqual([0, MAX_ENTRY_BYTES]);
  });

  it('entries of another key or scope have another name', async () => {
    await Promise.all([store.read(DETAILS, 'a'), store.read(DETAILS, 'b'), storeOf('other').read(DETAILS, 'a')]);
    expect(new Set(namesOf(getrange)).size).toBe(3);
  });

  it.each([
    ['', 0],
    ['nonsense', 1],
    [encodeEntry({ ...DETAILS, name: 'paged' }, ENTRY), 1],
  ])('finds no entry in %j', async (text, failures) => {
    getrange.mockResolvedValue(text);
    expect(await store.read(DETAILS, 'a')).toBeUndefined();
    expect(storeFailed.mock.calls).toEqual(Array(failures).fill(['entry']));
  });

  it('reads once for concurrent calls, and again for later ones', async () => {
    const [first, second] = [store.read(DETAILS, 'a'), store.read(DETAILS, 'a')];
    expect(await Promise.all([first, second])).toEqual([ENTRY, ENTRY]);
    expect(getrange).toHaveBeenCalledTimes(1);
    await store.read(DETAILS, 'a');
    expect(getrange).toHaveBeenCalledTimes(2);
  });

  it('sends nothing to a connection that is not ready', () => {
    connection.ready = false;
    expect([store.read(DETAILS, 'a'), store.write(DETAILS, 'a', ENTRY, 1)]).toEqual([undefined, false]);
    store.remove('a');
    expect([getrange, set, del].flatMap(namesOf)).toEqual([]);
  });

  it.each([
    ['a command that timed out', new Error('Command timed out')],
    ['a lost connection', new Error('Connection is closed.')],
    ['an error of Redis', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
  ])('%s finds nothing, stores nothing, and throws nothing', async (_, error) => {
    getrange.mockRejectedValueOnce(error);
    set.mockRejectedValueOnce(error);
    del.mockRejectedValueOnce(error);
    expect(await store.read(DETAILS, 'a')).toBeUndefined();
    expect(store.write(DETAILS, 'a', ENTRY, 1)).toBe(true);
    store.remove('a');
    await settled();
    expect(storeFailed.mock.calls).toEqual([['read'], ['write'], ['write']]);
    expect(await store.read(DETAILS, 'a')).toEqual(ENTRY);
  });

  it('does not write an entry that is too large to be read', () => {
    const large = { result: { body: 'x'.repeat(MAX_ENTRY_BYTES), completeness: COMPLETE }, storedAt: 1 };
    expect(store.write(DETAILS, 'a', large, 1)).toBe(false);
    expect(set).not.toHaveBeenCalled();
  });

  it('for any stored text and any failure, a read finds the entry or nothing', async () => {
    const held = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant(TEXT));
    const response = fc.oneof(held.map((text) => () => Promise.resolve(text)), fc.string().map((message) => () => Promise.reject(new Error(message)))); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(response, fc.boolean()), { maxLength: 20 }), async (steps) => {
        store = storeOf('scope');
        for (const [respond, ready] of steps) {
          getrange.mockImplementationOnce(respond);
          connection.ready = ready;
          const found = await store.read(DETAILS, 'a');
          if (found !== undefined) expect(found).toEqual(ENTRY);
          await settled();
        }
        getrange.mockReset();
      }),
    );
  });

  /** Waits for commands in the background. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
});
