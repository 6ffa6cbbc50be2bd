import * as fc from 'fast-check';
import { anyReply, pagedReply, wireRecord, wireRecords } from '../../../../test/support/upstream/records';
import { COMPLETE } from '../../model/completeness';
import { toLookupItems, toPagedList, toShippingDetail } from '../protocol/response-mapping';
import { detailsRequest } from '../../queries/get-shipping-details/get-shipping-details.request';
import { infoByIdRequest } from '../../queries/get-shipping-info-by-id/get-shipping-info-by-id.request';
import { pagedListRequest } from '../../queries/get-shipping-paged-list/get-shipping-paged-list.request';
import { singleRequest } from '../../queries/get-shipping-single/get-shipping-single.request';
import { decodeEntry, encodeEntry, type CacheEntry } from './cache-entry';

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
    const entry = { result: { body, completeness: COMPLETE }, storedAt: 1_700_000_000_000 };
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
      fc.string({ unit: 'binary' }),
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
        if (entry !== undefined) expect(typesOf(entry.result.body as object)).toBe(typesOf(LIST as object));
      }),
    );
  });
});
