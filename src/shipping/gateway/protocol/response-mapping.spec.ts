import * as fc from 'fast-check';
import { assertShape } from '../../../../test/support/described-response';
import { DETAILS, type Operation, PAGED, SINGLE } from '../../../../test/support/operations';
import { inWords, thrownBy } from '../../../../test/support/units';
import {
  inCamelCase,
  mappedRecord,
  wireBody,
  wireItem,
  wireList,
  type WireObject,
  wirePage,
  wireRecord,
  wireRecords,
} from '../../../../testing/upstream/records';
import { COMPLETE, PARTIAL, type QueryResult } from '../../model/query-result';
import { toLookupItems, toPagedList, toShippingDetail } from './response-mapping';
import { kindOf } from './value-reader';

const toPage = (body: unknown): ReturnType<typeof toPagedList> => toPagedList(body, { PageNumber: 3, PageSize: 7 });

const MAPPINGS: [operation: Operation, map: (body: unknown) => QueryResult<unknown>][] = [
  [SINGLE, toShippingDetail],
  [DETAILS, toLookupItems],
  [PAGED, toPage],
];

const soundRecord = (overrides: WireObject = {}): WireObject =>
  wireRecord({ ShippingItems: [wireItem()], ...overrides });
const UNSAFE: unknown = JSON.parse('9007199254740993');

function expectWrongShape(act: () => unknown, what: string): void {
  expect(thrownBy(act)).toMatchObject({
    reason: 'bad-reply',
    retryable: false,
    countsAgainstCircuit: false,
    causes: [{ what }],
  });
}

/**
 * Values that are no records, each with the cause of a list that drops it, and the failure of a lookup that gets it.
 */
type Unusable = [record: unknown, cause: string, failure: string];
const withoutId = (Id: unknown, cause = ''): Unusable => {
  return [wireRecord({ Id }), `${cause}records without an Id (1)`, `no valid Id: ${kindOf(Id)}`];
};
const UNUSABLE: Unusable[] = [
  ...[null, 'x', 7, true, [], [wireRecord()]].map((record): Unusable => {
    return [record, 'records of the wrong type (1)', `body: ${kindOf(record)}`];
  }),
  ...[undefined, null, '', ' ', '\t'].map((Id) => withoutId(Id)),
  ...[true, {}, ['SHP-1'], 2.5, UNSAFE].map((Id) => withoutId(Id, `Id: ${kindOf(Id)} (1), `)),
];

describe('D14 D18 D19 D81 the shape', () => {
  it.each(UNUSABLE)('%j is dropped from lists as %j, and fails a lookup: %s', (record, cause, failure) => {
    const completeness = { ...PARTIAL, dropped: 1, cause };
    const list = toLookupItems(wireList([wireRecord(), record]));
    expect(inWords(list)).toEqual({ body: [mappedRecord(DETAILS)], completeness });
    const page = { items: [mappedRecord(PAGED)], totalCount: 2 };
    expect(inWords(toPage(wirePage([record, wireRecord()])))).toMatchObject({ body: page, completeness });
    expectWrongShape(() => toShippingDetail(record), failure);
  });

  it.each<[list: unknown, cause: (name: string) => string]>([
    [undefined, (name) => `no ${name}: absent`],
    [null, (name) => `${name}: null`],
    ['', (name) => `${name}: text`],
    [7, (name) => `${name}: number`],
    [true, (name) => `${name}: boolean`],
    [{ 0: wireRecord() }, (name) => `${name}: object`],
  ])('%j is no list of records', (list, cause) => {
    const lists: unknown[] = [{ ShippingDetails: list }, { shippingDetails: list }];
    for (const body of lists) expectWrongShape(() => toLookupItems(body), cause('ShippingDetails'));
    expectWrongShape(() => toPage(wirePage([], { Items: list, TotalCount: 1 })), cause('Items'));
    expectWrongShape(() => toPage({ items: list, totalCount: 15 }), cause('Items'));
  });

  it.each([undefined, null, 'x', 7, true, [wireRecord()]])('%j is no body', (body) => {
    for (const [, map] of MAPPINGS) expectWrongShape(() => map(body), `body: ${kindOf(body)}`);
  });

  it.each<[unknown, string]>([
    [undefined, 'absent'],
    [null, 'null'],
    ['', 'text'],
    [' ', 'text'],
    ['-1', '-9'],
    ['1.0', '9.9'],
    ['1e1', '9a9'],
    ['0x1', '9a9'],
    ['007', '999'],
    ['+5', '+9'],
    ['5 records', '9 aaaaaaa'],
    ['9007199254740993', '9999999999999999'],
    [-1, 'negative number'],
    [1.5, 'number with a fraction'],
    [UNSAFE, 'integer beyond 2^53'],
    [JSON.parse('1e400'), 'number out of range'],
    [true, 'boolean'],
    [[5], 'array'],
  ])('%j is no TotalCount: %s', (TotalCount, kind) => {
    expectWrongShape(() => toPage(wirePage([], { TotalCount })), `no valid TotalCount: ${kind}`);
    expectWrongShape(() => toPage({ items: [], totalCount: TotalCount }), `no valid TotalCount: ${kind}`);
  });
});

describe('D73 more than was asked for', () => {
  const records = wireRecords(5);

  it.each<[page: WireObject, requested: number, kept: number]>([
    [{ PageSize: 5 }, 2, 5],
    [{ PageSize: 2 }, 5, 2],
    [{ PageSize: undefined }, 2, 2],
    [{ PageSize: 0 }, 1, 1],
  ])('a page of %j, requested with %d, keeps %d of five records', (page, PageSize, kept) => {
    const { body, completeness } = toPagedList(wirePage(records, page), { PageSize });
    const dropped = records.length - kept;
    const partial = { ...PARTIAL, dropped, causes: [{ what: 'records beyond the page size', count: dropped }] };
    expect([body.items.length, body.totalCount]).toEqual([kept, 5]);
    expect(completeness).toEqual(dropped === 0 ? COMPLETE : partial);
  });

  it('a page keeps at most 10,000 records, whatever page size the response names', () => {
    const page = toPagedList(wirePage(wireRecords(10_003), { PageSize: 1e9 }));
    expect([page.body.items.length, page.completeness]).toMatchObject([10_000, { dropped: 3 }]);
  });

  it('a record keeps at most 1,000 shipping items; no more are read', () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({ Id: `I-${index}` }));
    expect(toShippingDetail(soundRecord({ ShippingItems: items })).completeness).toBe(COMPLETE);
    const many = [...items, ...Array.from({ length: 500_000 }, () => null)];
    const { body, completeness } = toShippingDetail(soundRecord({ ShippingItems: many }));
    expect(body.shippingItems.map(({ id }) => id)).toEqual(items.map(({ Id }) => Id));
    const causes = [{ what: 'shipping items beyond 1000', count: 500_000 }];
    expect(completeness).toEqual({ ...PARTIAL, dropped: 500_000, causes });
  });
});

describe('D14 paging values', () => {
  const [PREVIOUS, NEXT] = [{ hasPreviousPage: true }, { hasNextPage: true }];
  const NEITHER = { hasPreviousPage: false, hasNextPage: false };
  const of = (totalPages: number, flags = {}): object => ({ totalPages, ...NEITHER, ...flags });
  const AS_REQUESTED = { pageNumber: 3, pageSize: 7, totalPages: 8 };

  it.each([undefined, null, '2.0', -1, 2.5, {}, [1], 'yes', 2 ** 53])('of %j are derived, which is complete', (bad) => {
    const names = ['PageNumber', 'PageSize', 'TotalPages', 'HasPreviousPage', 'HasNextPage'];
    const values = { TotalCount: 50, ...Object.fromEntries(names.map((name) => [name, bad])) };
    const derived = { totalCount: 50, pageNumber: 3, pageSize: 7, totalPages: 8, ...PREVIOUS, ...NEXT };
    expect(toPage(wirePage([], values))).toEqual({ body: { items: [], ...derived }, completeness: COMPLETE });
  });

  it('are those of the specification where neither the response nor the request has any', () => {
    const body = { Items: [], TotalCount: 21 };
    expect(toPagedList(body).body).toMatchObject({ pageNumber: 1, pageSize: 10, totalPages: 3 });
  });

  const AS_TEXT = { PageNumber: '8', PageSize: '7', TotalCount: '50', TotalPages: '8' };
  // The external system sends 50 records in pages of 7, unless the row says otherwise.
  it.each<[WireObject, object]>([
    [{ PageNumber: 1 }, of(8, NEXT)],
    [{ PageNumber: 8 }, of(8, PREVIOUS)],
    [AS_TEXT, { pageNumber: 8, pageSize: 7, totalCount: 50, ...of(8, PREVIOUS) }],
    [{ PageNumber: 2, PageSize: 49 }, of(2, PREVIOUS)],
    [{ PageNumber: 1, PageSize: 50 }, of(1)],
    [{ PageNumber: 3, TotalPages: 3 }, of(3, { ...PREVIOUS, ...NEXT })],
    [{ PageNumber: 2, TotalCount: 0 }, of(0)],
    [{ PageNumber: 1, hasNextPage: false }, of(8)],
    [{ PageNumber: 1, HasNextPage: false }, of(8)],
    [{ PageNumber: 1, HasNextPage: 'False', HasPreviousPage: 1 }, of(8, PREVIOUS)],
    [{ PageNumber: 0, PageSize: 0 }, AS_REQUESTED],
    [{ PageNumber: 1, TotalPages: 0, HasPreviousPage: true }, of(0, { ...PREVIOUS, ...NEXT })],
  ])('that are missing are derived from the others: %j', (given, expected) => {
    const missing = { PageSize: 7, TotalPages: undefined, HasPreviousPage: undefined, HasNextPage: undefined };
    expect(toPage(wirePage([], { TotalCount: 50, ...missing, ...given })).body).toMatchObject(expected);
  });
});

describe('D13 D18 D19 any JSON', () => {
  const NAMES = [...Object.keys(wireBody()), ...Object.keys(wireItem())];
  const poison = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, '', ' ', 1e300, -1, 2 ** 53, '2026-02-30', '2026-03-14', [], {}, [[]], [null], true),
  );
  const overrides = fc.dictionary(
    fc.constantFrom(...NAMES, ...NAMES.map((n) => n.charAt(0).toLowerCase() + n.slice(1)), '__proto__'),
    poison,
    { maxKeys: 4 },
  );
  const record = overrides.map((over) => ({ ...soundRecord(), ...over }));
  const items = fc.array(fc.oneof({ weight: 5, arbitrary: record }, poison), { maxLength: 3 });
  const mutated = fc.tuple(items, overrides, fc.boolean()).map(([list, over, camel]) => {
    const reply = { ...wireBody({ Items: list, ShippingDetails: list }), ...over };
    return camel ? inCamelCase(reply) : reply;
  });
  const replies = fc.oneof(fc.jsonValue(), { weight: 3, arbitrary: mutated }, poison);

  it.each(MAPPINGS)('$name: a documented shape or a failure, and no change', (operation, map) => {
    fc.assert(
      fc.property(replies, (reply) => {
        const before = JSON.stringify(reply);
        let answer: QueryResult<unknown>;
        try {
          answer = map(reply);
        } catch (error) {
          expect(error).toMatchObject({ name: 'UpstreamFailure', reason: 'bad-reply', retryable: false });
          return;
        }
        assertShape(`/api/Shipping/${operation.request}`, answer.body);
        const numbers = { dropped: 1, limit: 1, causes: undefined };
        const { dropped, limit, causes, ...completeness } = { ...numbers, ...answer.completeness };
        expect([COMPLETE, PARTIAL]).toContainEqual(completeness);
        expect(dropped).toBeGreaterThan(0);
        // A total above the records, or a next page, makes the unpaged list one that may be cut off (D31).
        expect(limit).toBeGreaterThan(0);
        // A complete response may have a cause, too: a status word that is not known, or a date of no shipment (D81).
        expect(causes !== undefined || completeness.level === 'complete').toBe(true);
        expect(JSON.stringify(reply)).toBe(before);
      }),
    );
  });
});
