import * as fc from 'fast-check';
import { assertShape } from '../../../../test/support/described-response';
import { DETAILS, PAGED, SINGLE, type Operation } from '../../../../test/support/operations';
import { thrownBy } from '../../../../test/support/units';
import {
  absentFields,
  anyReply,
  detailsReply,
  inCamelCase,
  mappedEmptyItem,
  mappedItem,
  mappedRecord,
  pagedReply,
  RECORD_FIELDS,
  wireItem,
  wireRecord,
  type WireObject,
} from '../../../../test/support/upstream/records';
import { COMPLETE, PARTIAL, type QueryResult } from '../../model/query-result';
import { isSuccess } from '../../../resilience/http-failures';
import { UNREADABLE_BODY } from '../transport/undici-http.service';
import { bodyOf, isNotFound, toLookupItems, toPagedList, toShippingDetail } from './response-mapping';

const toPage = (body: unknown): ReturnType<typeof toPagedList> => toPagedList(body, { PageNumber: 3, PageSize: 7 });

const MAPPINGS: [operation: Operation, map: (body: unknown) => QueryResult<unknown>][] = [
  [SINGLE, toShippingDetail],
  [DETAILS, toLookupItems],
  [PAGED, toPage],
];

const ITEM = mappedItem();
const DETAIL = mappedRecord(SINGLE, { shippingItems: [ITEM] });
const soundRecord = (overrides: WireObject = {}): WireObject =>
  wireRecord({ ShippingItems: [wireItem()], ...overrides });
const UNSAFE: unknown = JSON.parse('9007199254740993');

function expectWrongShape(act: () => unknown, message: string): void {
  expect(thrownBy(act)).toMatchObject({ reason: 'bad-reply', retryable: false, countsAgainstCircuit: false, message });
}

describe('D18 a response', () => {
  it('of 2xx has a body', () => {
    expect([200, 204, 299].map((status) => bodyOf({ status, headers: {}, data: 'x' }))).toEqual(['x', 'x', 'x']);
    expect([199, 200, 205, 206, 207, 299, 300].map(isSuccess)).toEqual([false, true, true, false, true, true, false]);
  });

  it.each([
    [404, { 'content-type': 'Text/HTML; charset=utf-8' }, { reason: 'upstream-error', status: undefined }],
    [404, { 'content-type': 'application/json, text/html' }, { reason: 'upstream-error', status: 404 }],
    [
      404,
      { 'content-type': 'text/plain' },
      { reason: 'upstream-error', message: 'status 404, content type text/plain' },
    ],
    [404, {}, { reason: 'upstream-error', message: 'status 404, no content type' }],
    [404, { 'content-type': 'é/x' }, { reason: 'upstream-error', message: 'status 404, unknown content type' }],
    [500, { 'content-type': 'text/html' }, { reason: 'upstream-error', status: 500 }],
    [503, { 'retry-after': '7' }, { reason: 'upstream-error', status: 503, retryAfterMs: 7000 }],
    [302, {}, { reason: 'bad-reply' }],
    [206, {}, { reason: 'bad-reply', message: 'partial content (status 206)' }],
  ])('of %d with %j is a failure: %j', (status, headers, failure) => {
    expect(thrownBy(() => bodyOf({ status, headers, data: 'x' }))).toMatchObject(failure);
  });

  it.each<[string, unknown, boolean]>([
    ['application/json', '{"Message":"Not found"}', true],
    ['Application/Problem+JSON; charset=utf-8', '{}', true],
    ['text/json', 'null', true],
    ['application/json', 'no JSON', true],
    ['application/json', UNREADABLE_BODY, false],
    ['text/html', '<html>', false],
    ['text/html', '', true],
    ['application/xhtml+xml', '<html/>', false],
    ['text/plain', '404 page not found', false],
    ['application/jsonp', '{}', false],
    ['', '<html>', false],
    ['', { parsed: 'by a mock' }, true],
    ['', undefined, true],
    ['', null, true],
  ])('of 404 as "%s" with %p is "no match": %s', (contentType, data, expected) => {
    expect(isNotFound({ status: 404, headers: { 'content-type': contentType }, data })).toBe(expected);
    expect(isNotFound({ status: 410, headers: { 'content-type': contentType }, data })).toBe(false);
  });
});

/** Rows of upstream fields, the fields of the response, and whether the value is malformed. */
const FIELDS: [field: string, value: unknown, name: string, expected: unknown, isMalformed: boolean][] = [
  ['Id', 42, 'id', '42', false],
  ['OrderId', 1001, 'orderId', '1001', false],
  ['OrderId', -2.5, 'orderId', '-2.5', false],
  ['OrderId', Number.MIN_SAFE_INTEGER, 'orderId', '-9007199254740991', false],
  ['OrderId', UNSAFE, 'orderId', null, true],
  ['OrderId', 1e21, 'orderId', null, true],
  ['OrderId', {}, 'orderId', null, true],
  ['ShippingAddress', ['a'], 'shippingAddress', null, true],
  ['ShippingAddress', '', 'shippingAddress', '', false],
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
  ['TotalWeight', UNSAFE, 'totalWeight', null, true],
  ['TotalWeight', JSON.parse('1e400'), 'totalWeight', null, true],
  ['CreatedDate', '2026-03-14T09:26:53', 'createdDate', '2026-03-14T09:26:53.000Z', false],
  ['CreatedDate', '2026-03-14T09:26:53+02:00', 'createdDate', '2026-03-14T07:26:53.000Z', false],
  ['CreatedDate', '2026-02-30', 'createdDate', null, true],
  ['CreatedDate', 0, 'createdDate', null, true],
  ['CreatedDate', ['2026-03-14'], 'createdDate', null, true],
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
  ['ShippingItems', [{}], 'shippingItems', [mappedEmptyItem()], false],
  ['ShippingItems', [null, 'x', wireItem()], 'shippingItems', [ITEM], true],
  ['ShippingItems', [wireItem({ Quantity: '2' })], 'shippingItems', [{ ...ITEM, quantity: null }], true],
  ['ShippingItems', [wireItem({ Sku: 4711, Weight: null })], 'shippingItems', [{ ...ITEM, sku: '4711', weight: null }], false], // prettier-ignore
];

describe('D19 one field', () => {
  it.each(FIELDS)('%s %j gives %s %j (malformed: %5$s)', (field, value, name, expected, isMalformed) => {
    const { body, completeness } = toShippingDetail(soundRecord({ [field]: value }));
    const rest = name.startsWith('status') ? { status: expected, statusDescription: expected } : {};
    expect(body).toEqual({ ...DETAIL, [name]: expected, ...rest });
    expect(completeness).toBe(isMalformed ? PARTIAL : COMPLETE);
  });

  it.each(RECORD_FIELDS)('$upstream absent or of the wrong type gives no value', (field) => {
    const [name = ''] = Object.keys(field.upstream);
    const body = { ...DETAIL, ...absentFields(field) };
    expect(toShippingDetail(soundRecord({ [name]: undefined }))).toEqual({ body, completeness: COMPLETE });
    expect(toShippingDetail(soundRecord({ [name]: {} }))).toEqual({ body, completeness: PARTIAL });
  });

  it('that the response does not show makes it no less complete', () => {
    const record = soundRecord({ CreatedBy: {}, ModifiedBy: {}, ShippingItems: 'x', Extra: {} });
    expect(toLookupItems(detailsReply([record])).completeness).toBe(COMPLETE);
  });
});

const UNUSABLE: [record: unknown, message: string][] = [
  ...[null, 'x', 7, true, [], [wireRecord()]].map((record): [unknown, string] => [
    record,
    'The upstream response is no record',
  ]),
  ...[undefined, null, '', ' ', '\t', true, {}, ['SHP-1'], UNSAFE].map((Id): [unknown, string] => [
    wireRecord({ Id }),
    'The record has no valid Id',
  ]),
];

describe('D14 D18 D19 the shape', () => {
  it.each(UNUSABLE)('the record %j is dropped from lists, and a failure of a single lookup: %s', (record, message) => {
    const completeness = { ...PARTIAL, dropped: 1 };
    expect(toLookupItems(detailsReply([wireRecord(), record]))).toEqual({
      body: [mappedRecord(DETAILS)],
      completeness,
    });
    const page = { items: [mappedRecord(PAGED)], totalCount: 2 };
    expect(toPage(pagedReply([record, wireRecord()]))).toMatchObject({ body: page, completeness });
    expectWrongShape(() => toShippingDetail(record), message);
  });

  it.each([undefined, null, 'x', 7, {}, { 0: wireRecord() }].map((list) => [list]))(
    '%j is no list of records, nor a body',
    (list) => {
      const message = 'The upstream response has no valid ShippingDetails';
      expectWrongShape(() => toLookupItems({ ShippingDetails: list }), message);
      expectWrongShape(() => toLookupItems(list), message);
      expectWrongShape(() => toPage(pagedReply([], { Items: list })), 'The upstream response has no valid Items');
    },
  );

  it.each([undefined, null, '5', -1, 1.5, 2 ** 53, true, [5]])('%j is no TotalCount', (TotalCount) => {
    const message = 'The upstream response has no valid TotalCount';
    expectWrongShape(() => toPage(pagedReply([], { TotalCount })), message);
  });
});

describe('D14 paging values', () => {
  const [PREVIOUS, NEXT] = [{ hasPreviousPage: true }, { hasNextPage: true }];
  const NEITHER = { hasPreviousPage: false, hasNextPage: false };

  it.each([undefined, null, '2', -1, 2.5, {}, [1], 'true', 2 ** 53])('of %j are derived, which is complete', (bad) => {
    const names = ['PageNumber', 'PageSize', 'TotalPages', 'HasPreviousPage', 'HasNextPage'];
    const values = { TotalCount: 50, ...Object.fromEntries(names.map((name) => [name, bad])) };
    const derived = { totalCount: 50, pageNumber: 3, pageSize: 7, totalPages: 8, ...PREVIOUS, ...NEXT };
    expect(toPage(pagedReply([], values))).toEqual({ body: { items: [], ...derived }, completeness: COMPLETE });
  });

  it('are those of the specification where neither the response nor the request has any', () => {
    const body = { Items: [], TotalCount: 21 };
    expect(toPagedList(body).body).toMatchObject({ pageNumber: 1, pageSize: 10, totalPages: 3 });
  });

  // Of 50 records in pages of 7, unless the row says otherwise.
  it.each<[WireObject, object]>([
    [{ PageNumber: 1 }, { totalPages: 8, ...NEITHER, ...NEXT }],
    [{ PageNumber: 8 }, { totalPages: 8, ...NEITHER, ...PREVIOUS }],
    [{ PageNumber: 2, PageSize: 49 }, { totalPages: 2, ...NEITHER, ...PREVIOUS }],
    [{ PageNumber: 1, PageSize: 50 }, { totalPages: 1, ...NEITHER }],
    [{ PageNumber: 3, TotalPages: 3 }, { totalPages: 3, ...NEITHER, ...PREVIOUS }],
    [{ PageNumber: 2, TotalCount: 0 }, { totalPages: 0, ...NEITHER }],
    [{ PageNumber: 1, hasNextPage: false }, { totalPages: 8, ...NEITHER }],
    [{ PageNumber: 1, HasNextPage: false }, { totalPages: 8, ...NEITHER }],
    [{ PageNumber: 0, PageSize: 0 }, { pageNumber: 3, pageSize: 7, totalPages: 8 }],
    [{ PageNumber: 1, TotalPages: 0, HasPreviousPage: true }, { totalPages: 0, ...NEITHER, ...PREVIOUS }],
  ])('that are missing are derived from the others: %j', (given, expected) => {
    const missing = { PageSize: 7, TotalPages: undefined, HasPreviousPage: undefined, HasNextPage: undefined };
    expect(toPage(pagedReply([], { TotalCount: 50, ...missing, ...given })).body).toMatchObject(expected);
  }); // prettier-ignore
});

describe('D13 D18 D19 any JSON', () => {
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
    '$name: a documented shape or a failed attempt, and the body is left as it was',
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
          assertShape(`/api/Shipping/${operation.request}`, answer.body);
          const { dropped, ...completeness } = { dropped: 1, ...answer.completeness };
          expect([COMPLETE, PARTIAL]).toContainEqual(completeness);
          expect(dropped).toBeGreaterThan(0);
          expect(JSON.stringify(reply)).toBe(before);
        }),
      );
    },
  );
});
