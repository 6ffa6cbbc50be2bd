import { wrongShape } from '../../../resilience/upstream-failure';
import { MAX_LIMIT, PAGE_NUMBER, PAGE_SIZE } from '../../model/parameter-rules';
import { asPartial, limitedTo, type QueryResult } from '../../model/query-result';
import type {
  PagedShippingList,
  ShippingDetail,
  ShippingItem,
  ShippingListItem,
  ShippingLookupItem,
} from '../../model/response-bodies';
import type { StatusWord } from '../../model/shipping-status';
import type { UpstreamParameters } from './shipping-protocol';
import {
  booleanOf,
  countOf,
  fieldOf,
  hasAnyOf,
  isAbsent,
  isText,
  isUpstreamObject,
  kindOf,
  shapeOf,
  type UpstreamObject,
  ValueReader,
} from './value-reader';

/** The most shipping items of a record; items beyond are dropped (D73). */
const MAX_SHIPPING_ITEMS = 1000;

const HIDDEN_RECORDS = [{ field: 'ShippingDetails', what: 'empty below the total' }];

/**
 * @param limit the most records; what a system that ignores `Limit` sends beyond is not read (D73)
 * @throws {UpstreamFailure} where the body is no object with `ShippingDetails`
 */
export function toLookupItems(body: unknown, limit?: number): QueryResult<ShippingLookupItem[]> {
  const list = objectOf(body);
  const total = countOf(fieldOf(list, 'TotalCount'));
  const records = arrayOf(list, 'ShippingDetails', total === 0);
  const reader = new ValueReader();
  const items = reader.list(records, Math.min(limit ?? MAX_LIMIT, MAX_LIMIT), toLookupItem);
  const isCutOff = (total ?? 0) > records.length || booleanOf(fieldOf(list, 'HasNextPage')) === true;
  let completeness = reader.completeness();
  if (isCutOff && records.length === 0) completeness = asPartial(completeness, HIDDEN_RECORDS);
  else if (isCutOff) completeness = limitedTo(items.length, completeness);
  return { body: items, completeness };
}

/**
 * @param requested has the page number and size for a response that lacks them (D14)
 * @throws {UpstreamFailure} where the body has no `Items` or no valid `TotalCount`
 */
export function toPagedList(body: unknown, requested: UpstreamParameters = {}): QueryResult<PagedShippingList> {
  const page = objectOf(body);
  const sentTotal = fieldOf(page, 'TotalCount');
  const total = countOf(sentTotal);
  const pageNumber = countOf(fieldOf(page, 'PageNumber'), 1) ?? requested.PageNumber ?? PAGE_NUMBER.default;
  const pageSize = countOf(fieldOf(page, 'PageSize'), 1) ?? requested.PageSize ?? PAGE_SIZE.default;
  const records = arrayOf(page, 'Items', total !== undefined && (pageNumber - 1) * pageSize >= total);
  // Services with protobuf leave out a total of 0. Behind the first page, the total may be any number.
  const isEmpty = pageNumber === 1 && requested.PageNumber === 1 && records.length === 0 && isAbsent(sentTotal);
  const totalCount = isEmpty ? 0 : total;
  if (totalCount === undefined) {
    throw wrongShape(`no valid TotalCount: ${isText(sentTotal) ? shapeOf(sentTotal) : kindOf(sentTotal)}`);
  }
  const neededPages = Math.ceil(totalCount / pageSize);
  const totalPages = countOf(fieldOf(page, 'TotalPages')) ?? neededPages;
  // An absent flag is derived from the larger number of pages. `consistentPage` compares all values with the total, and
  // would log the flag as wrong, too, if it were derived from a number of pages that is too small.
  const pages = Math.max(totalPages, neededPages);
  const hasPreviousPage = booleanOf(page.HasPreviousPage ?? page.hasPreviousPage) ?? (pageNumber > 1 && pages > 0);
  const hasNextPage = booleanOf(page.HasNextPage ?? page.hasNextPage) ?? pageNumber < pages;
  const reader = new ValueReader();
  // The page size in a response may be larger than any that a client can request, so that it alone would not limit the
  // number of mapped records.
  const max = Math.min(pageSize, MAX_LIMIT);
  const items = reader.list(records, max, toListItem);
  if (records.length > max) reader.drop('records beyond the page size', records.length - max);
  const paged = { items, totalCount, pageNumber, pageSize, totalPages, hasPreviousPage, hasNextPage };
  return { body: paged, completeness: reader.completeness() };
}

/** @throws {UpstreamFailure} where the body is no record with a valid Id */
export function toShippingDetail(body: unknown): QueryResult<ShippingDetail> {
  const record = objectOf(body);
  const reader = new ValueReader();
  const item = toListItem(record, reader);
  if (item === null) throw wrongShape(`no valid Id: ${kindOf(fieldOf(record, 'Id'))}`);
  const sent = record.ShippingItems ?? record.shippingItems;
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [];
  if (items !== sent) reader.unknown(sent, 'ShippingItems');
  const beyond = items.length - MAX_SHIPPING_ITEMS;
  if (beyond > 0) reader.drop(`shipping items beyond ${MAX_SHIPPING_ITEMS}`, beyond);
  const detail: ShippingDetail = {
    ...item,
    modifiedDate: reader.date(record.ModifiedDate ?? record.modifiedDate, 'ModifiedDate'),
    modifiedBy: reader.text(record.ModifiedBy ?? record.modifiedBy, 'ModifiedBy'),
    shippingItems: reader.list(items, MAX_SHIPPING_ITEMS, toShippingItem),
  };
  return { body: detail, completeness: reader.completeness() };
}

/** Maps one record of a list; `null` for a value that is no record, which it counts. */
export function toLookupItem(record: unknown, reader: ValueReader): ShippingLookupItem | null {
  if (!isUpstreamObject(record)) return reader.drop('records of the wrong type');
  const id = reader.text(record.Id ?? record.id, 'Id')?.trim();
  if (id === undefined || id === '') return reader.drop('records without an Id');
  const status = reader.status(record.Status ?? record.status);
  return {
    id,
    orderId: reader.text(record.OrderId ?? record.orderId, 'OrderId'),
    shippingAddress: reader.text(record.ShippingAddress ?? record.shippingAddress, 'ShippingAddress'),
    trackingNumber: reader.text(record.TrackingNumber ?? record.trackingNumber, 'TrackingNumber'),
    status,
    statusDescription: status,
    totalWeight: reader.number(record.TotalWeight ?? record.totalWeight, 'TotalWeight'),
    createdDate: reader.date(record.CreatedDate ?? record.createdDate, 'CreatedDate'),
    isActive: reader.boolean(record.IsDeleted ?? record.isDeleted, 'IsDeleted') !== true,
  };
}

/**
 * Adds its further field to the same object: to spread the fields of a lookup item into another one takes a third of a
 * page of a hundred on Node 20.
 */
function toListItem(record: unknown, reader: ValueReader): ShippingListItem | null {
  const item = toLookupItem(record, reader) as ShippingListItem | null;
  if (item === null) return null;
  const { CreatedBy, createdBy } = record as UpstreamObject;
  item.createdBy = reader.text(CreatedBy ?? createdBy, 'CreatedBy');
  return item;
}

const ITEM_FIELDS = ['Id', 'Sku', 'Description', 'Quantity', 'Weight'];

function toShippingItem(item: unknown, reader: ValueReader): ShippingItem | null {
  if (!isUpstreamObject(item)) return reader.malformed.add('shipping items of the wrong type');
  if (!hasAnyOf(ITEM_FIELDS, item)) return reader.malformed.add('shipping items without a known field');
  return {
    id: reader.text(item.Id ?? item.id, 'ShippingItems.Id'),
    sku: reader.text(item.Sku ?? item.sku, 'ShippingItems.Sku'),
    description: reader.text(item.Description ?? item.description, 'ShippingItems.Description'),
    quantity: reader.number(item.Quantity ?? item.quantity, 'ShippingItems.Quantity'),
    weight: reader.number(item.Weight ?? item.weight, 'ShippingItems.Weight'),
  };
}

function objectOf(body: unknown): UpstreamObject {
  if (!isUpstreamObject(body)) throw wrongShape(`body: ${kindOf(body)}`);
  return body;
}

/** The records of a list. Services in Go send `null` where there are none, and the total confirms it (D14). */
function arrayOf(object: UpstreamObject, name: string, isEmptyByTotal: boolean): readonly unknown[] {
  const value = fieldOf(object, name);
  if (Array.isArray(value)) return value;
  if (value !== undefined && isAbsent(value) && isEmptyByTotal) return [];
  throw wrongShape(value === undefined ? `no ${name}: absent` : `${name}: ${kindOf(value)}`);
}

/**
 * A record with the field names of the specification's wire format. A class for another wire format renames the fields
 * of its system to these names, and passes the record to `toShippingDetail` or to the functions for lists. Values may
 * be of any type, because those of the wrong type make the response `partial`; the names and the status words are
 * checked by the compiler.
 */
export interface StandardRecord extends Readonly<Partial<Record<FieldName, unknown>>> {
  readonly Status?: StatusWord | null;
}

/** The names of the fields of the wire, but for the status; what the mapping makes of others has none. */
type FieldName = Capitalize<Exclude<keyof ShippingDetail, 'status' | 'statusDescription' | 'isActive'>> | 'IsDeleted';
