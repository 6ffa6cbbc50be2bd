import * as fc from 'fast-check';
import { expectShape } from '../../../../test/support/expectations';
import { DETAILS, PAGED, SINGLE, type Operation } from '../../../../test/support/operations';
import { thrownBy } from '../../../../test/support/units';
import {
  absentFields,
  anyReply,
  detailsReply,
  inCamelCase,
  mappedEmptyItem,
  mappedEmptyRecord,
  mappedItem,
  mappedRecord,
  pagedReply,
  RECORD_FIELDS,
  wireItem,
  wireRecord,
  wireRecords,
  type WireObject,
} from '../../../../test/support/upstream/records';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { COMPLETE, PARTIAL, type QueryResult } from '../../model/query-result';
import { toLookupItems, toPagedList, toShippingDetail } from './response-mapping';

const REQUESTED = { PageNumber: 3, PageSize: 7 };
const toPage = (reply: unknown): ReturnType<typeof toPagedList> => toPagedList(reply, REQUESTED);

const MAPPINGS: [operation: Operation, map: (reply: unknown) => QueryResult<unknown>][] = [
  [SINGLE, toShippingDetail],
  [DETAILS, toLookupItems],
  [PAGED, toPage],
];

const LOOKUP_ITEM = mappedRecord(DETAILS);
const LIST_ITEM = mappedRecord(PAGED);
const ITEM = mappedItem();
const DETAIL = mappedRecord(SINGLE, { shippingItems: [ITEM] });
const soundRecord = (overrides: WireObject = {}): WireObject =>
  wireRecord({ ShippingItems: [wireItem()], ...overrides });

/** The failure that is thrown for a reply of the wrong shape. */
function expectWrongShape(act: () => unknown): void {
  const failure = thrownBy(act);
  expect(failure).toBeInstanceOf(UpstreamFailure);
  expect(failure).toMatchObject({ reason: 'bad-reply', retryable: false, countsAgainstCircuit: false });
}

describe('D13 D17 a sound record', () => {
  it.each([
    ['PascalCase', (reply: unknown) => reply],
    ['camelCase', inCamelCase],
  ])('in %s becomes exactly the documented fields', (_, spell) => {
    const record = soundRecord();
    expect(toShippingDetail(spell(record))).toEqual({ body: DETAIL, completeness: COMPLETE });
    expect(toLookupItems(spell(detailsReply([record])))).toEqual({ body: [LOOKUP_ITEM], completeness: COMPLETE });
    expect(toPage(spell(pagedReply([record])))).toEqual({
      body: {
        items: [LIST_ITEM],
        totalCount: 1,
        pageNumber: 1,
        pageSize: 10,
        totalPages: 1,
        hasPreviousPage: false,
        hasNextPage: false,
      },
      completeness: COMPLETE,
    });
  });

  it('without anything but an Id has every field', () => {
    expect(toLookupItems({ ShippingDetails: [{ Id: 'SHP-1' }] })).toEqual({
      body: [mappedEmptyRecord(DETAILS)],
      completeness: COMPLETE,
    });
    expect(toPage({ Items: [{ Id: 'SHP-1' }], TotalCount: 1 }).body.items).toEqual([mappedEmptyRecord(PAGED)]);
    expect(toShippingDetail({ Id: 'SHP-1' })).toEqual({ body: mappedEmptyRecord(SINGLE), completeness: COMPLETE });
    expect(toShippingDetail({ Id: 'A', ShippingItems: [{}] }).body.shippingItems).toEqual([mappedEmptyItem()]);
  });
});

/** Rows: what a record says, what its answer says, and whether that is odd. */
const FIELDS: [field: string, value: unknown, name: string, expected: unknown, odd: boolean][] = [
  ['Id', 42, 'id', '42', false],
  ['OrderId', 1001, 'orderId', '1001', false],
  ['OrderId', -2.5, 'orderId', '-2.5', false],
  ['OrderId', Number.MIN_SAFE_INTEGER, 'orderId', '-9007199254740991', false],
  ['OrderId', JSON.parse('9007199254740993'), 'orderId', null, true],
  ['OrderId', 1e21, 'orderId', null, true],
  ['OrderId', {}, 'orderId', null, true],
  ['ShippingAddress', ['a'], 'shippingAddress', null, true],
  ['ShippingAddress', '', 'shippingAddress', '', false],
  ['ShippingAddress', 'M\ufffdnchen', 'shippingAddress', 'M\ufffdnchen', true],
  ['TrackingNumber', true, 'trackingNumber', null, true],
  ['Status', 'CREATED', 'status', 'Created', false],
  ['Status', 'In_Transit', 'statusDescription', 'InTransit', false],
  ['Status', 'lost at sea', 'status', 'Unknown', false],
  ['Status', undefined, 'status', 'Unknown', false],
  ['Status', null, 'statusDescription', 'Unknown', false],
  ['Status', 1, 'status', 'Unknown', false],
  ['Status', {}, 'status', 'Unknown', true],
  ['Status', false, 'statusDescription', 'Unknown', true],
  ['TotalWeight', 0, 'totalWeight', 0, false],
  ['TotalWeight', '12.75', 'totalWeight', null, true],
  ['TotalWeight', 5e-324, 'totalWeight', 5e-324, false],
  ['TotalWeight', JSON.parse('9007199254740993'), 'totalWeight', null, true],
  ['TotalWeight', JSON.parse('1e400'), 'totalWeight', null, true],
  ['CreatedDate', '2026-03-14T09:26:53', 'createdDate', '2026-03-14T09:26:53.000Z', false],
  ['CreatedDate', '2026-03-14T09:26:53+02:00', 'createdDate', '2026-03-14T07:26:53.000Z', false],
  ['CreatedDate', '2026-02-30', 'createdDate', null, true],
  ['CreatedDate', 0, 'createdDate', null, true],
  ['CreatedBy', 7, 'createdBy', '7', false],
  ['CreatedBy', [], 'createdBy', null, true],
  ['IsDeleted', true, 'isActive', false, false],
  ['IsDeleted', false, 'isActive', true, false],
  ['IsDeleted', null, 'isActive', true, false],
  ['IsDeleted', 'true', 'isActive', true, true],
  ['IsDeleted', 1, 'isActive', true, true],
  ['ModifiedDate', 'yesterday', 'modifiedDate', null, true],
  ['ModifiedDate', null, 'modifiedDate', null, false],
  ['ModifiedBy', {}, 'modifiedBy', null, true],
  ['ShippingItems', null, 'shippingItems', [], false],
  ['ShippingItems', {}, 'shippingItems', [], true],
  ['ShippingItems', [null, 'x', wireItem()], 'shippingItems', [ITEM], true],
  ['ShippingItems', [wireItem({ Quantity: '2' })], 'shippingItems', [{ ...ITEM, quantity: null }], true],
  ['ShippingItems', [wireItem({ Sku: 4711, Weight: null })], 'shippingItems', [{ ...ITEM, sku: '4711', weight: null }], false], // prettier-ignore
];

describe('D19 one odd field', () => {
  it.each(FIELDS)('%s %j gives %s %j (odd: %5$s)', (field, value, name, expected, odd) => {
    const { body, completeness } = toShippingDetail(soundRecord({ [field]: value }));
    const rest = name.startsWith('status') ? { status: expected, statusDescription: expected } : {};
    expect(body).toEqual({ ...DETAIL, [name]: expected, ...rest });
    expect(completeness).toBe(odd ? PARTIAL : COMPLETE);
  });

  it.each(RECORD_FIELDS)('$upstream absent or of the wrong type gives no value', (field) => {
    const [name = ''] = Object.keys(field.upstream);
    const body = { ...DETAIL, ...absentFields(field) };
    expect(toShippingDetail(soundRecord({ [name]: undefined }))).toEqual({ body, completeness: COMPLETE });
    expect(toShippingDetail(soundRecord({ [name]: {} }))).toEqual({ body, completeness: PARTIAL });
  });

  it.each(FIELDS.filter(([, , name]) => name in LOOKUP_ITEM))('%s %j in a list gives %s %j', (...row) => {
    const [field, value, name, expected, odd] = row;
    const { body, completeness } = toLookupItems(detailsReply([soundRecord({ [field]: value }), soundRecord()]));
    expect(body[0]).toMatchObject({ [name]: expected });
    expect(body[1]).toEqual(LOOKUP_ITEM);
    expect(completeness).toBe(odd ? PARTIAL : COMPLETE);
  });

  it('that the answer does not show makes it no less complete', () => {
    const record = soundRecord({ CreatedBy: {}, ModifiedBy: {}, ShippingItems: 'x', Extra: {} });
    expect(toLookupItems(detailsReply([record])).completeness).toBe(COMPLETE);
  });
});

const UNUSABLE_IDS = [undefined, null, '', ' ', '\t', true, {}, ['SHP-1'], JSON.parse('9007199254740993')];

const ONE_DROPPED = { ...PARTIAL, dropped: 1 };

describe('D19 a record that cannot be used', () => {
  it.each([null, 'x', 7, [], [wireRecord()], true])('is dropped from lists where it is %j', (record) => {
    const records = [wireRecord(), record];
    expect(toLookupItems(detailsReply(records))).toEqual({ body: [LOOKUP_ITEM], completeness: ONE_DROPPED });
    expect(toPage(pagedReply(records))).toMatchObject({
      body: { items: [LIST_ITEM], totalCount: 2 },
      completeness: ONE_DROPPED,
    });
    expectWrongShape(() => toShippingDetail(record));
  });

  it.each(UNUSABLE_IDS)('is dropped where its Id is %j, and a single lookup has failed', (Id) => {
    const record = wireRecord({ Id });
    expect(toLookupItems(detailsReply([record, wireRecord()]))).toEqual({
      body: [LOOKUP_ITEM],
      completeness: ONE_DROPPED,
    });
    expect(toPage(pagedReply([record]))).toMatchObject({ body: { items: [] }, completeness: ONE_DROPPED });
    expectWrongShape(() => toShippingDetail(record));
  });
});

describe('D14 D18 a list reply', () => {
  it.each(
    [undefined, null, 'x', 7, true, [], [wireRecord()], {}, { Items: [], TotalCount: 0 }].map((reply) => [reply]),
  )('without ShippingDetails has failed: %j', (reply) => {
    expectWrongShape(() => toLookupItems(reply));
  });

  it.each([null, {}, 'x', 7, undefined])('with ShippingDetails or Items of %j has failed', (value) => {
    expectWrongShape(() => toLookupItems({ ShippingDetails: value }));
    expectWrongShape(() => toPage(pagedReply([], { Items: value })));
  });

  it.each([undefined, null, '5', -1, 1.5, 2 ** 53, JSON.parse('1e400'), true, [5]])(
    'with the TotalCount %j has failed',
    (TotalCount) => {
      expectWrongShape(() => toPage(pagedReply([], { TotalCount })));
    },
  );

  it('may be empty', () => {
    expect(toLookupItems(detailsReply([]))).toEqual({ body: [], completeness: COMPLETE });
    expect(toPage(pagedReply([]))).toMatchObject({ body: { items: [], totalCount: 0 }, completeness: COMPLETE });
  });
});

describe('D14 paging figures', () => {
  it('come from the reply, whatever was asked', () => {
    const figures = { TotalCount: 95, PageNumber: 4, PageSize: 20, TotalPages: 5, HasPreviousPage: true, HasNextPage: true }; // prettier-ignore
    expect(toPage(pagedReply([], figures)).body).toEqual({
      items: [],
      totalCount: 95,
      pageNumber: 4,
      pageSize: 20,
      totalPages: 5,
      hasPreviousPage: true,
      hasNextPage: true,
    });
  });

  it('come from the reply also where they do not fit together', () => {
    const figures = { TotalCount: 0, TotalPages: 9, HasPreviousPage: true, HasNextPage: false };
    expect(toPage(pagedReply([], figures)).body).toMatchObject({ totalPages: 9, hasPreviousPage: true, hasNextPage: false }); // prettier-ignore
  });

  const derived = {
    totalCount: 50,
    pageNumber: 3,
    pageSize: 7,
    totalPages: 8,
    hasPreviousPage: true,
    hasNextPage: true,
  };
  it.each([undefined, null, '2', -1, 2.5, {}, [1], 'true', 2 ** 53])(
    'that are %j are derived, which is not odd',
    (bad) => {
      const names = ['PageNumber', 'PageSize', 'TotalPages', 'HasPreviousPage', 'HasNextPage'];
      const overrides = { TotalCount: 50, ...Object.fromEntries(names.map((name) => [name, bad])) };
      expect(toPage(pagedReply([], overrides))).toEqual({ body: { items: [], ...derived }, completeness: COMPLETE });
    },
  );

  it.each([
    [{ PageNumber: 1 }, { totalPages: 8, hasPreviousPage: false, hasNextPage: true }],
    [{ PageNumber: 8 }, { totalPages: 8, hasPreviousPage: true, hasNextPage: false }],
    [
      { PageNumber: 2, PageSize: 49 },
      { totalPages: 2, hasPreviousPage: true, hasNextPage: false },
    ],
    [
      { PageNumber: 2, PageSize: 25 },
      { totalPages: 2, hasPreviousPage: true, hasNextPage: false },
    ],
    [
      { PageNumber: 1, PageSize: 50 },
      { totalPages: 1, hasPreviousPage: false, hasNextPage: false },
    ],
    [
      { PageNumber: 3, TotalPages: 3 },
      { totalPages: 3, hasPreviousPage: true, hasNextPage: false },
    ],
    [
      { PageNumber: 1, TotalCount: 0 },
      { totalPages: 0, hasPreviousPage: false, hasNextPage: false },
    ],
    [
      { PageNumber: 1, HasNextPage: false },
      { totalPages: 8, hasPreviousPage: false, hasNextPage: false },
    ],
    [
      { PageNumber: 0, PageSize: 0 },
      { pageNumber: 3, pageSize: 7, totalPages: 8 },
    ],
  ])('are derived from the figures settled already: %j', (given, expected) => {
    const missing = { PageSize: 7, TotalPages: undefined, HasPreviousPage: undefined, HasNextPage: undefined };
    expect(toPage(pagedReply([], { TotalCount: 50, ...missing, ...given })).body).toMatchObject(expected);
  });
});

describe('D13 D18 D19 any JSON whatever', () => {
  const freeze = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    }
    return value;
  };

  const NAMES = [...Object.keys(anyReply()), ...Object.keys(wireItem())];
  const poison = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, '', ' ', 1e300, -1, 2 ** 53, '2026-02-30', '2026-03-14', [], {}, [[]], [null], true),
  );
  const overrides = fc.dictionary(fc.constantFrom(...NAMES, ...NAMES.map((n) => n.charAt(0).toLowerCase() + n.slice(1)), '__proto__'), poison, { maxKeys: 4 }); // prettier-ignore
  const record = overrides.map((over) => ({ ...soundRecord(), ...over }));
  const items = fc.array(fc.oneof({ weight: 5, arbitrary: record }, poison), { maxLength: 3 });
  const mutated = fc.tuple(items, overrides, fc.boolean()).map(([list, over, camel]) => {
    const reply = { ...anyReply({ Items: list, ShippingDetails: list }), ...over };
    return camel ? inCamelCase(reply) : reply;
  });
  const replies = fc.oneof(fc.jsonValue(), { weight: 3, arbitrary: mutated }, poison);

  it.each(MAPPINGS)(
    '$name: a documented shape or a failed attempt, and the reply is left as it was',
    (operation, map) => {
      fc.assert(
        fc.property(replies, (reply) => {
          const before = JSON.stringify(reply);
          let answer: QueryResult<unknown>;
          try {
            answer = map(freeze(reply));
          } catch (error) {
            expect(error).toMatchObject({ name: 'UpstreamFailure', reason: 'bad-reply', retryable: false });
            return;
          }
          expectShape(operation, answer.body);
          const { dropped, ...completeness } = { dropped: 1, ...answer.completeness };
          expect([COMPLETE, PARTIAL]).toContainEqual(completeness);
          expect(dropped).toBeGreaterThan(0);
          expect(JSON.stringify(reply)).toBe(before);
        }),
      );
    },
  );

  it('records keep their order, and the answer shares no object with the reply', () => {
    const reply = { ShippingDetails: wireRecords(50) };
    expect(toLookupItems(reply).body.map(({ id }) => id)).toEqual(reply.ShippingDetails.map(({ Id }) => Id));
    const raw = soundRecord();
    const detail = toShippingDetail(raw).body;
    detail.shippingItems.push(...detail.shippingItems);
    expect(raw.ShippingItems).toHaveLength(1);
  });
});
