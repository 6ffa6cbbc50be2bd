import { labelOf, StubbedGateway } from '../../../../test/support/stubbed-gateway';
import {
  inCamelCase,
  wireList,
  type WireObject,
  wirePage,
  wireRecord,
  wireRecords,
} from '../../../../testing/upstream/records';
import { MAX_LIMIT } from '../../model/parameter-rules';
import { COMPLETE, PARTIAL } from '../../model/query-result';
import type { ShippingDetail } from '../../model/response-bodies';
import { FILTERS } from './shipping-protocol';
import { StandardProtocol } from './standard-protocol';

const gateway = new StubbedGateway();
const METHODS = ['list', 'page'] as const;
/** A response to both lists, with these records. */
const listsOf = (records: readonly unknown[]): WireObject => ({ ...wirePage(records), ...wireList(records) });
/** The Ids of a list or a page, joined. */
function idsOf(body: unknown): string {
  const { items = body } = body as { items?: unknown };
  return (items as { id: string }[]).map(({ id }) => id).join();
}

const TEN = wireRecords(10);
const FIRST = { TotalCount: 50, PageNumber: 1, PageSize: 10, TotalPages: 5, HasPreviousPage: false, HasNextPage: true };
const LAST = { PageNumber: 5, HasPreviousPage: true, HasNextPage: false };
const ROUNDED = { ...LAST, TotalCount: 55 };
const SECOND = { PageNumber: 2, TotalPages: 0 };
const NO_FLAGS = { HasPreviousPage: undefined, HasNextPage: undefined };

const PAGES = 'TotalPages: fewer than the total needs';
const NEXT = 'HasNextPage: false before the last page';
const BOTH = `${PAGES}, ${NEXT}`;
const PREVIOUS = 'HasPreviousPage: false behind the first page';
const MORE = 'HasNextPage: true on the last page';
const FEWER = 'Items: fewer than the total promises';
const TOTAL = 'TotalCount: fewer than the records up to this page';
const ANOTHER_PAGE = 'PageNumber: another than the one requested';

describe('D14 a page that contradicts itself', () => {
  const pageOf = (sent: WireObject, PageNumber: unknown = sent.PageNumber ?? 1) =>
    gateway.find('page', { parameters: { PageNumber: PageNumber as number, PageSize: 7 } }, sent);

  it.each<{ what: string; sent: WireObject; got: object; cause: string }>([
    { what: 'no next page on page 1 of 5', sent: { HasNextPage: false }, got: { hasNextPage: true }, cause: NEXT },
    { what: 'pages rounded down', sent: ROUNDED, got: { totalPages: 6, hasNextPage: true }, cause: BOTH },
    { what: 'the same without flags', sent: { ...ROUNDED, ...NO_FLAGS }, got: { hasNextPage: true }, cause: PAGES },
    { what: 'no pages on page 2', sent: { ...NO_FLAGS, ...SECOND }, got: { hasPreviousPage: true }, cause: PAGES },
    { what: 'no page before page 2', sent: { PageNumber: 2 }, got: { hasPreviousPage: true }, cause: PREVIOUS },
    { what: 'a capped total', sent: { ...LAST, HasNextPage: true }, got: { hasNextPage: true }, cause: MORE },
    { what: 'too few records', sent: { Items: TEN.slice(5) }, got: { totalCount: 50 }, cause: FEWER },
    { what: 'too few on the last page', sent: { ...LAST, Items: [] }, got: { totalCount: 50 }, cause: FEWER },
    { what: 'more than 0', sent: { Items: [], TotalCount: 0, TotalPages: 0 }, got: { hasNextPage: true }, cause: MORE },
  ])('$what: complete', async ({ sent, got, cause }) => {
    const found = await pageOf(wirePage(TEN, { ...FIRST, ...sent }));
    expect(found).toMatchObject({ body: got, completeness: { level: 'complete', cause } });
  });

  it.each<{ what: string; asked?: number; sent: WireObject; cause: string }>([
    { what: 'a total one too low', sent: { ...LAST, TotalCount: 49 }, cause: TOTAL },
    { what: 'a total of 0', sent: { TotalCount: 0, TotalPages: 0, HasNextPage: false }, cause: TOTAL },
    { what: 'with malformed records', sent: { Items: [...TEN.slice(1), null], TotalCount: 9 }, cause: TOTAL },
    { what: 'the first page', asked: 3, sent: { PageNumber: 1 }, cause: ANOTHER_PAGE },
    { what: 'the next page', asked: 1, sent: { PageNumber: 2 }, cause: ANOTHER_PAGE },
  ])('$what: partial', async ({ asked, sent, cause }) => {
    const { body, completeness } = await pageOf(wirePage(TEN, { ...FIRST, HasPreviousPage: true, ...sent }), asked);
    expect(completeness).toMatchObject({ ...PARTIAL, cause: expect.stringContaining(cause) });
    expect(body).toMatchObject({ pageNumber: sent.PageNumber ?? 1 });
  });

  it.each<{ what: string; sent: WireObject }>([
    { what: 'valid values', sent: {} },
    { what: 'the last page', sent: LAST },
    { what: 'more pages than the total needs', sent: { TotalPages: 6 } },
    { what: 'an empty page behind the last', sent: { ...LAST, Items: [], PageNumber: 9 } },
  ])('none is $what', async ({ sent }) => {
    const values = { ...FIRST, ...sent };
    const { body, completeness } = await pageOf(wirePage(TEN, values));
    expect(completeness).toEqual(COMPLETE);
    expect(body).toMatchObject({ ...(inCamelCase(values) as object), items: expect.any(Array) });
  });
});

const REPEATED = [wireRecord({ Id: 'SHP-1', OrderId: 'X' }), wireRecord({ Id: 'SHP-1 ' })];
it.each([
  ['page', 1],
  ['list', 2],
] as const)('D14 a %s with an Id %d times more is partial, and all stay', async (method, more) => {
  const records = [...TEN.slice(0, 10 - more), ...REPEATED.slice(0, more)];
  const { body, completeness } = await gateway.find(method, {}, listsOf(records));
  expect(completeness).toEqual({ ...PARTIAL, cause: `records with the Id of another (${more})` });
  expect(idsOf(body).match(/\bSHP-1\b/g)).toHaveLength(1 + more);
});

it('D14 Ids that differ in their case are two', async () => {
  const { completeness } = await gateway.find('page', {}, listsOf([wireRecord({ Id: 'a' }), wireRecord({ Id: 'A' })]));
  expect(completeness).toEqual(COMPLETE);
});

/** The failure by a record that is not the requested one. */
const another = (field: string): object => ({ failed: 'bad-reply', cause: `another ${field} than the one requested` });
const withDefaults = (field: string): object => {
  return { failed: 'bad-reply', cause: `a default object: an Id of zeros and no ${field}` };
};
const recordOf = (parameters: object, sent: WireObject) => gateway.find('record', { parameters }, wireRecord(sent));

describe('D18 a lookup gets the record that it asked for', () => {
  it.each<[parameters: object, sent: WireObject]>([
    [{ OrderId: 'ORD-7' }, { OrderId: 'ord 7' }],
    [{ OrderId: 'ord7' }, { OrderId: 'ORD\u20117' }],
    [{ OrderId: '\u00dc1' }, { OrderId: 'U\u03081' }],
    [{ OrderId: '004711' }, { OrderId: '\uff14\uff17\uff11\uff11' }],
    [{ OrderId: '0' }, { OrderId: '000' }],
    [{ OrderId: '1' }, { OrderId: `${'0'.repeat(255)}1` }],
    [{ OrderId: 'ORD-7' }, { OrderId: null }],
    [{ OrderId: 'ORD-7' }, { OrderId: '--' }],
    [{ TrackingNumber: '00340434161094022115' }, { TrackingNumber: '00 340434 161094\u00a0022115' }],
    [{ TrackingNumber: 'jd-1' }, { TrackingNumber: 'JD1\u200b' }],
    [
      { Id: '0', TrackingNumber: 'JD1' },
      { Id: 0, TrackingNumber: null },
    ],
    [{ TrackingNumber: 'JD1' }, { Id: 0, TrackingNumber: 'JD1' }],
    [{ Id: 'SHP-1' }, { Id: ' shp-1\t' }],
    [{ Id: 'SHP-1', Status: 'Delivered' }, { Status: 'DLV' }],
    [{ Id: 'SHP-1', Status: 'Unknown' }, { Status: 'created' }],
  ])('%j: %j', async (parameters, sent) => {
    expect(await recordOf(parameters, sent)).toMatchObject({ completeness: { level: 'complete' } });
  });

  const NO_UUID = '00000000-0000-0000-0000-000000000000';
  it.each<[parameters: object, sent: WireObject, failure: object]>([
    [{ OrderId: 'ORD-7' }, { OrderId: 'ORD-77' }, another('OrderId')],
    [{ OrderId: 'ORD-7' }, { OrderId: 'ORD-07' }, another('OrderId')],
    [{ OrderId: '0' }, { OrderId: 10 }, another('OrderId')],
    [{ OrderId: '1' }, { OrderId: `${'0'.repeat(256)}1` }, another('OrderId')],
    [{ TrackingNumber: 'JD1' }, { TrackingNumber: 'JD2' }, another('TrackingNumber')],
    [{ Id: 'SHP-1', OrderId: 'ORD-7' }, {}, another('OrderId')],
    [{ OrderId: 'ORD-1001', Status: 'Delivered' }, {}, another('Status')],
    [{ OrderId: 'ORD-7' }, { Id: 0, OrderId: null }, withDefaults('OrderId')],
    [{ TrackingNumber: 'JD1' }, { Id: NO_UUID, TrackingNumber: '' }, withDefaults('TrackingNumber')],
    [{ Id: 'SHP-2' }, {}, another('Id')],
    [{ Id: 'SHP-1' }, { Id: 'SHP -1' }, another('Id')],
  ])('%j, and not %j', async (parameters, sent, failure) => {
    expect(await recordOf(parameters, sent)).toEqual(failure);
  });

  it.each(['OrderId', 'Id'])('one with a %s that takes long to normalise is another one, unread', async (field) => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    // Its marks are sorted by every normal form, which takes quadratic time.
    const sent = { [field]: `a${'\u0301\u0323'.repeat(60_000)}` };
    expect(await recordOf({ [field]: 'a' }, sent)).toEqual(another(field));
    expect(normalize.mock.contexts.filter((text) => String(text).length > 256)).toEqual([]);
  });
});

describe('D18 D19 a list has the records that its filters ask for', () => {
  const A = wireRecord({ Id: 'A', OrderId: 'ORD-7', Status: 'delivered' });
  const B = wireRecord({ Id: 'B', OrderId: 'ord 7', Status: 'DLV' });
  const C = wireRecord({ Id: 'C', OrderId: null, Status: undefined });
  const D = wireRecord({ Id: 'D', OrderId: 'ORD-70', Status: 'in_transit' });
  const E = wireRecord({ Id: 'E', OrderId: 'ORD-7', Status: 'cancelled' });
  const ALL = [A, B, C, D];
  const BOTH_FILTERS = { OrderId: 'ORD-7', Status: 'Delivered' };

  it.each<[parameters: object, records: unknown[], kept: string, dropped: number]>([
    [{}, ALL, 'A,B,C,D', 0],
    [{ OrderId: 'ORD-7' }, [A, B, C], 'A,B,C', 0],
    [{ OrderId: 'ORD-7' }, ALL, 'A,B,C', 1],
    [{ OrderId: 'ORD-9' }, ALL, 'C', 3],
    [{ Status: 'Delivered' }, [A, B, C], 'A,B,C', 0],
    [{ Status: 'Delivered' }, ALL, 'A,B,C', 1],
    [{ Status: 'Unknown' }, ALL, 'A,B,C,D', 0],
    [BOTH_FILTERS, [...ALL, E], 'A,B,C', 2],
    [{ OrderId: 'ORD-7' }, [null, ...ALL], 'A,B,C', 2],
    [{ SearchTerm: 'nowhere', FromDate: new Date('2099-01-01') }, ALL, 'A,B,C,D', 0],
  ])('%j of %j: %s', async (parameters, records, kept, dropped) => {
    for (const method of METHODS) {
      const { body, completeness } = await gateway.find(method, { parameters }, listsOf(records));
      expect(idsOf(body)).toBe(kept);
      expect(completeness).toMatchObject(dropped === 0 ? { level: 'complete' } : { ...PARTIAL, dropped });
      if (method === 'page') expect(body).toMatchObject({ totalCount: records.length });
    }
  });

  it.each(METHODS)('D81 a %s says which filter is ignored', async (method) => {
    const records = [A, D, D, E, wireRecord({ ...A, Id: 'F', TotalWeight: 'x' })];
    const { completeness } = await gateway.find(method, { parameters: BOTH_FILTERS as object }, listsOf(records));
    const cause = 'TotalWeight: text (1), records with another OrderId (2), records with another Status (1)';
    expect(completeness).toEqual({ ...PARTIAL, dropped: 3, cause });
  });

  it.each<[parameters: object, fields: Record<string, keyof ShippingDetail>]>([
    [{ CreatedBy: 'ada' }, {}],
    [{ CreatedBy: ['ada', 'alan'] }, {}],
    [{ TotalWeight: 1 }, {}],
    [{ IsActive: true }, {}],
    [{ User: 'ada' }, { User: 'createdBy' }],
  ])('D83 by the filters of a team, too: %j', async (parameters, fields) => {
    const [ada, grace] = [
      { CreatedBy: 'ada', TotalWeight: 1 },
      { CreatedBy: 'grace', TotalWeight: 2, IsDeleted: true },
    ];
    const records = [wireRecord({ Id: 'A', ...ada }), wireRecord({ Id: 'B', ...grace })];
    const operation = { name: 'team', path: () => '/team', fields };
    const { body, completeness } = await gateway.find('page', { operation, parameters }, wirePage(records));
    expect([idsOf(body), completeness]).toEqual(['A', expect.objectContaining({ ...PARTIAL, dropped: 1 })]);
  });
});

it('D18 these filters alone are compared with no field of a record: others have to be named here', async () => {
  const { body } = await gateway.find('record', {}, wireRecord());
  const isCompared = (name: string): boolean => name.charAt(0).toLowerCase() + name.slice(1) in (body as object);
  expect(FILTERS.filter((name) => !isCompared(name))).toEqual(['SearchTerm', 'FromDate', 'ToDate']);
});

it.each(['Limit', 'PageSize'])('D18 %s, which is no filter, is compared with no field', async (name) => {
  const operation = { name: 'team', path: () => '/team', fields: { [name]: 'totalWeight' } as const };
  const found = await gateway.find('list', { operation, parameters: { [name]: 7 } }, listsOf([wireRecord()]));
  expect(found).toMatchObject({ completeness: COMPLETE });
});

it('D18 a protocol says which parameters are not comparable, and the others are compared', async () => {
  /** Finds shipments of several orders, which show the first one. */
  class TeamProtocol extends StandardProtocol {
    override readonly notComparable = ['OrderId'];
  }
  const ofTeam = new StubbedGateway(TeamProtocol);
  const found = (method: 'record' | 'list' | 'page', parameters: object) =>
    ofTeam.find(method, { parameters }, method === 'record' ? wireRecord() : listsOf([wireRecord()]));
  expect(await found('record', { OrderId: 'ORD-9' })).toMatchObject({ completeness: COMPLETE });
  expect(await found('record', { TrackingNumber: 'ORD-9' })).toEqual(another('TrackingNumber'));
  expect(await found('record', { Id: 'SHP-2' })).toEqual(another('Id'));
  for (const method of METHODS) {
    expect(await found(method, { OrderId: 'ORD-9' })).toMatchObject({ completeness: COMPLETE });
    expect(await found(method, { Status: 'Created' })).toMatchObject({ completeness: PARTIAL });
  }
});

describe('D31 D73 the unpaged list says when it may be cut off, and is bounded', () => {
  it.each([
    { what: 'fewer than Limit', count: 4, Limit: 5, kept: 4, expected: 'complete' },
    { what: 'as many as Limit', count: 5, Limit: 5, kept: 5, expected: 'complete;limit=5' },
    { what: 'more than Limit', count: 6, Limit: 5, kept: 5, expected: 'complete;limit=5' },
    { what: '99 without Limit', count: 99, kept: 99, expected: 'complete' },
    { what: '100 without Limit', count: 100, kept: 100, expected: 'complete;limit=100' },
    { what: '101 without Limit', count: 101, kept: 101, expected: 'complete' },
    { what: '100 where Limit is 200', count: 100, Limit: 200, kept: 100, expected: 'complete;limit=100' },
    { what: 'as many as are read', count: MAX_LIMIT, Limit: 10_001, kept: 10_000, expected: 'complete;limit=10000' },
  ])('$what', async ({ count, Limit, kept, expected }) => {
    const found = await gateway.find('list', { parameters: { Limit } }, wireList(wireRecords(count)));
    expect([(found.body as []).length, labelOf(found)]).toEqual([kept, expected]);
  });

  it('but not where it is partial, nor does a page', async () => {
    const list = await gateway.find('list', { parameters: { Limit: 5 } }, wireList([null, ...wireRecords(5)]));
    expect(list.completeness).not.toHaveProperty('limit');
    const page = wirePage(wireRecords(2), { PageSize: 2, TotalCount: 9, TotalPages: 5, HasNextPage: true });
    expect((await gateway.find('page', { parameters: { PageSize: 2 } }, page)).completeness).toEqual(COMPLETE);
  });

  const [A, B, C] = ['A', 'B', 'C'].map((Id) => wireRecord({ Id }));
  it.each([
    ['keeps the first Limit records', [A, B, C], { level: 'complete', limit: 2 }, 'A,B'],
    ['drops malformed ones among them', [A, null, C], { ...PARTIAL, dropped: 1 }, 'A'],
    ['does not look at those beyond them', [A, B, C, null], { level: 'complete', limit: 2 }, 'A,B'],
  ])('%s', async (_, records, expected, ids) => {
    const { body, completeness } = await gateway.find('list', { parameters: { Limit: 2 } }, wireList(records));
    expect([idsOf(body), completeness]).toEqual([ids, expect.objectContaining(expected)]);
  });

  it.each([
    [undefined, '/test'],
    [101, '/test?Limit=101'],
    [10_000, '/test?Limit=10000'],
    [2_147_483_647, '/test?Limit=10000'],
  ])('for Limit %p the external system gets %s', async (Limit, path) => {
    await gateway.find('list', { parameters: { Limit } }, wireList());
    expect(gateway.sent.at(-1)).toBe(path);
  });

  /** Ignores `Limit`, and returns each record twice, with Ids of their own. */
  class RepeatingProtocol extends StandardProtocol {
    override list: StandardProtocol['list'] = async (request, send) => {
      const result = await super.list({ ...request, parameters: {} }, send);
      return { ...result, body: result.body.flatMap((record) => [record, { ...record, id: `${record.id}-b` }]) };
    };
  }
  const ofTeam = new StubbedGateway(RepeatingProtocol);

  it.each([
    { Limit: 3, sent: 5, kept: 3 },
    { Limit: 50_000, sent: 6000, kept: 10_000 },
    { Limit: undefined, sent: 6000, kept: 10_000 },
  ])('of the list of a team, $kept of twice $sent with Limit $Limit', async ({ Limit, sent, kept }) => {
    const { body, completeness } = await ofTeam.find('list', { parameters: { Limit } }, wireList(wireRecords(sent)));
    expect([(body as []).length, completeness]).toEqual([kept, { level: 'complete', limit: kept }]);
  });

  it('of a partial list of a team as well', async () => {
    const records = [wireRecord({ TotalWeight: 'heavy' }), ...wireRecords(4)];
    const { body, completeness } = await ofTeam.find('list', { parameters: { Limit: 2 } }, wireList(records));
    expect([(body as []).length, completeness]).toEqual([2, { ...PARTIAL, cause: 'TotalWeight: text (1)' }]);
  });
});
