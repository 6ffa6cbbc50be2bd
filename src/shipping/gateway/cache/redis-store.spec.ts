import * as fc from 'fast-check';
import { anyReply, pagedReply, wireRecord, wireRecords } from '../../../../test/support/upstream/records';
import type { RedisConnection } from '../../../redis/redis-connection';
import { detailsRequest } from '../../queries/get-shipping-details/get-shipping-details.query';
import { infoByIdRequest } from '../../queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { pagedListRequest } from '../../queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { singleRequest } from '../../queries/get-shipping-single/get-shipping-single.query';
import { toLookupItems, toPagedList, toShippingDetail } from '../protocol/response-mapping';
import type { CacheMetrics } from './cache.metrics';
import type { CacheEntry } from './memory-store';
import { decodeEntry, encodeEntry, MAX_ENTRY_BYTES, RedisStore } from './redis-store';
import { anyText } from '../../../../test/support/any-text';

const PAGE = { PageNumber: 1, PageSize: 10 };
const single = singleRequest({}).operation;
const byId = infoByIdRequest({ id: 'SHP-1' }).operation;
const details = detailsRequest({}).operation;
const paged = pagedListRequest(PAGE).operation;
const OPERATIONS = { single, 'by-id': byId, details, paged };
type Name = keyof typeof OPERATIONS;
const BODIES: readonly [Name, unknown][] = [
  ['single', toShippingDetail(wireRecord()).body],
  ['by-id', toShippingDetail({ Id: 'bare' }).body],
  ['details', toLookupItems(anyReply()).body],
  ['paged', toPagedList(pagedReply(wireRecords(10)), PAGE).body],
];
const [DETAIL, , LOOKUP, LIST] = BODIES.map(([, body]) => body as Record<string, unknown>);
const decode = (name: Name, stored: string): CacheEntry | undefined => decodeEntry(OPERATIONS[name], stored);

/** An entry as it stands in the store, with changes. */
const text = (operation: string, body: unknown, changes: object = {}): string =>
  JSON.stringify({ format: 1, operation, storedAt: 1000, body, ...changes });

describe('cache entries', () => {
  it.each(BODIES)('of %s are read as they were written', (operation, body) => {
    const entry = { body, storedAt: 1_700_000_000_000 };
    expect(decode(operation, encodeEntry(OPERATIONS[operation], entry))).toEqual(entry);
  });

  it.each(BODIES)('of %s are none for operations of another shape', (operation, body) => {
    for (const [other, otherBody] of BODIES) {
      expect(decode(other, text(operation, body)) === undefined).toBe(other !== operation);
      const alike = JSON.stringify(Object.keys(otherBody as object)) === JSON.stringify(Object.keys(body as object));
      expect(decode(other, text(other, body)) === undefined).toBe(!alike);
    }
  });

  it.each<[what: string, operation: Name, text: string]>([
    ['nothing', 'paged', ''],
    ['no JSON', 'paged', 'nonsense'],
    ['half of one', 'paged', text('paged', LIST).slice(0, -20)],
    ['null', 'paged', 'null'],
    ['an array', 'paged', '[]'],
    ['a text', 'paged', '"paged"'],
    ['another format', 'paged', text('paged', LIST, { format: 2 })],
    ['no format', 'paged', text('paged', LIST, { format: undefined })],
    ['no time', 'paged', text('paged', LIST, { storedAt: undefined })],
    ['a time that is none', 'paged', text('paged', LIST, { storedAt: '1000' })],
    ['a negative time', 'paged', text('paged', LIST, { storedAt: -1 })],
    ['no body', 'paged', text('paged', undefined)],
    ['a page without figures', 'paged', text('paged', { ...LIST, totalCount: undefined })],
    ['a page of nothing', 'paged', text('paged', { ...LIST, items: null })],
    ['a page of numbers', 'paged', text('paged', { ...LIST, items: [1, 2] })],
    ['a page of other records', 'paged', text('paged', { ...LIST, items: [DETAIL] })],
    ['a page with a figure of text', 'paged', text('paged', { ...LIST, pageNumber: '1' })],
    ['a page with a fraction', 'paged', text('paged', { ...LIST, totalPages: 1.5 })],
    ['a list that is a page', 'details', text('details', LIST)],
    ['a list with a hole', 'details', text('details', [...(LOOKUP as unknown as unknown[]), null])],
    ['a record without Id', 'single', text('single', { ...DETAIL, id: null })],
    ['a record of an unknown status', 'single', text('single', { ...DETAIL, status: 'Lost' })],
    ['a record with a weight of text', 'single', text('single', { ...DETAIL, totalWeight: '1' })],
    ['a record without articles', 'by-id', text('by-id', { ...DETAIL, shippingItems: undefined })],
    ['a record with one field more', 'by-id', text('by-id', { ...DETAIL, secret: 1 })],
    ['a record with a prototype', 'by-id', text('by-id', DETAIL).replace('"id"', '"__proto__":{},"id"')],
    ['deeply nested', 'by-id', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['a body deeply nested', 'by-id', text('by-id', 0).replace('"body":0', `"body":${'['.repeat(200_000)}${']'.repeat(200_000)}`)], // prettier-ignore
  ])('%s is none', (_, operation, stored) => {
    expect(decode(operation, stored)).toBeUndefined();
  });

  const operations = fc.constantFrom<Name>('single', 'by-id', 'details', 'paged');

  it('no text throws', () => {
    const anything = fc.oneof(
      anyText(),
      fc.json(),
      fc.anything().map((value) => text('paged', value)),
    );
    fc.assert(
      fc.property(operations, anything, (operation, stored) => {
        expect(decode(operation, stored)).toBeUndefined();
      }),
    );
  });

  it('an entry with a byte changed is none, or one of the right shape', () => {
    const whole = text('paged', LIST);
    const typesOf = (value: object): string => JSON.stringify(Object.entries(value).map(([name, v]) => [name, v === null ? 'null' : typeof v])); // prettier-ignore
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.string({ maxLength: 3 }), (at, inserted) => {
        const entry = decode('paged', whole.slice(0, at) + inserted + whole.slice(at + 1));
        if (entry !== undefined) expect(typesOf(entry.body as object)).toBe(typesOf(LIST as object));
      }),
    );
  });
});

const DETAILS = detailsRequest({}).operation;
const { body } = toLookupItems({ ShippingDetails: [{ Id: 'SHP-1' }] });
const ENTRY: CacheEntry = { body, storedAt: 1000 };
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
    new RedisStore(connection as unknown as RedisConnection, scope, { storeFailed } as unknown as CacheMetrics);
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
    const large = { body: 'x'.repeat(MAX_ENTRY_BYTES), storedAt: 1 };
    expect(store.write(DETAILS, 'a', large, 1)).toBe(false);
    expect(set).not.toHaveBeenCalled();
  });

  it('for any stored text and any failure, a read finds the entry or nothing', async () => {
    const held = fc.oneof(anyText(), fc.json(), fc.constant(TEXT));
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
