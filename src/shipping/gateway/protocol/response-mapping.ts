import { ThrottledLog } from '../../../observability/logging/throttled-log';
import { wrongShape } from '../../../resilience/upstream-failure';
import { MAX_LIMIT, PAGE_NUMBER, PAGE_SIZE } from '../../model/parameter-rules';
import { asPartial, type QueryResult } from '../../model/query-result';
import type {
  PagedShippingList,
  ShippingDetail,
  ShippingListItem,
  ShippingLookupItem,
} from '../../model/response-bodies';
import { ShippingStatus, STATUS_WORDS, type StatusWord } from '../../model/shipping-status';
import { boundedList } from './compare-with-request';
import type { UpstreamParameters } from './shipping-protocol';
import { booleanOf, isAbsent, isUpstreamObject, kindOf, type UpstreamObject, ValueReader } from './value-reader';

/** The most shipping items of a record; items beyond are dropped (D73). */
const MAX_SHIPPING_ITEMS = 1000;
/** The most status words that the log remembers: a system that sends data as statuses must not fill the memory. */
const MAX_STATUS_WORDS = 20;
/**
 * The specification turns an unknown status word into `Unknown`, and the response stays complete. Only this log shows
 * such words.
 */
const statusLog = new ThrottledLog('ShippingStatus', MAX_STATUS_WORDS);

const HIDDEN_RECORDS = [{ field: 'ShippingDetails', what: 'empty below the total' }];

/**
 * @param limit the most records; what a system that ignores `Limit` sends beyond is not read (D73)
 * @throws {UpstreamFailure} where the body is no object with `ShippingDetails`
 */
export function toLookupItems<const Body>(
  body: Body & ListBody<Body, 'ShippingDetails', 'TotalCount' | 'HasNextPage'>,
  limit?: number,
): QueryResult<ShippingLookupItem[]> {
  const list = objectOf(body);
  const total = countOf(list, 'TotalCount');
  const records = arrayOf(list, 'ShippingDetails', total);
  const reader = new ValueReader();
  const items = reader.records(records, Math.min(limit ?? MAX_LIMIT, MAX_LIMIT), toLookupItem);
  const isCutOff = (total ?? 0) > records.length || booleanOf(fieldOf(list, 'HasNextPage')) === true;
  logUnknownWords(reader);
  const isHidden = isCutOff && records.length === 0;
  const completeness = isHidden ? asPartial(reader.completeness(), HIDDEN_RECORDS) : reader.completeness();
  const bounded = boundedList({ body: items, completeness }, limit);
  // The external system says by its own body that it has sent less than there is (D31).
  const saysSo = isCutOff && bounded.completeness.level === 'complete';
  return saysSo ? { ...bounded, completeness: { level: 'complete', limit: bounded.body.length } } : bounded;
}

/**
 * @param requested has the page number and size for a response that lacks them (D14)
 * @throws {UpstreamFailure} where the body has no `Items` or no valid `TotalCount`
 */
export function toPagedList<const Body>(
  body: Body & ListBody<Body, 'Items', PagingName>,
  requested: UpstreamParameters = {},
): QueryResult<PagedShippingList> {
  const page = objectOf(body);
  const total = countOf(page, 'TotalCount');
  const records = arrayOf(page, 'Items', total);
  const pageNumber = countOf(page, 'PageNumber', 1) ?? requested.PageNumber ?? PAGE_NUMBER.default;
  const pageSize = countOf(page, 'PageSize', 1) ?? requested.PageSize ?? PAGE_SIZE.default;
  // Services with protobuf leave out a total of 0. Behind the first page, the total may be any number.
  const isFirst = pageNumber === 1 && requested.PageNumber === 1;
  const isEmpty = isFirst && records.length === 0 && isAbsent(fieldOf(page, 'TotalCount'));
  const totalCount = isEmpty ? 0 : total;
  if (totalCount === undefined) throw wrongShape(`no valid TotalCount: ${kindOf(fieldOf(page, 'TotalCount'))}`);
  const neededPages = Math.ceil(totalCount / pageSize);
  const totalPages = countOf(page, 'TotalPages') ?? neededPages;
  // An absent flag is derived from the larger number of pages. `consistentPage` compares all values with the total, and
  // would log the flag as wrong, too, if it were derived from a number of pages that is too small.
  const pages = Math.max(totalPages, neededPages);
  const hasPreviousPage = booleanOf(page.HasPreviousPage ?? page.hasPreviousPage) ?? (pageNumber > 1 && pages > 0);
  const hasNextPage = booleanOf(page.HasNextPage ?? page.hasNextPage) ?? pageNumber < pages;
  const reader = new ValueReader();
  // The page size in a response may be larger than any that a client can request, so that it alone would not limit the
  // number of mapped records.
  const max = Math.min(pageSize, MAX_LIMIT);
  const items = reader.records(records, max, toListItem);
  if (records.length > max) reader.drop('records beyond the page size', records.length - max);
  logUnknownWords(reader);
  const paged = { items, totalCount, pageNumber, pageSize, totalPages, hasPreviousPage, hasNextPage };
  return { body: paged, completeness: reader.completeness() };
}

/** @throws {UpstreamFailure} where the body is no record with a valid Id */
export function toShippingDetail<const Body>(body: Body & RecordBody<Body>): QueryResult<ShippingDetail> {
  const record = objectOf(body);
  const reader = new ValueReader();
  const item = toListItem(record, reader);
  if (item === undefined) throw wrongShape(`no valid Id: ${kindOf(fieldOf(record, 'Id'))}`);
  const sent = record.ShippingItems ?? record.shippingItems;
  const items = reader.objects(sent, 'ShippingItems', MAX_SHIPPING_ITEMS, ITEM_FIELDS);
  const detail: ShippingDetail = {
    ...item,
    modifiedDate: reader.date(record.ModifiedDate ?? record.modifiedDate, 'ModifiedDate'),
    modifiedBy: reader.text(record.ModifiedBy ?? record.modifiedBy, 'ModifiedBy'),
    shippingItems: items.map((each) => toShippingItem(each, reader)),
  };
  logUnknownWords(reader);
  return { body: detail, completeness: reader.completeness() };
}

/**
 * Maps one record of a list, for code that filters or sorts records before the list is mapped; `undefined` for a value
 * that is no record.
 */
export function lookupItemOf(record: unknown): ShippingLookupItem | undefined {
  return isUpstreamObject(record) ? toLookupItem(record, new ValueReader()) : undefined;
}

function logUnknownWords({ unknownWords }: ValueReader): void {
  for (const [word, times] of unknownWords ?? []) {
    statusLog.failed(`The external system sends status words that this service does not know: ${word}`, times);
  }
}

function toLookupItem(record: UpstreamObject, reader: ValueReader): ShippingLookupItem | undefined {
  const fields = toCommonFields(record, reader);
  return fields && { ...fields, isActive: isActive(record, reader) };
}

function toListItem(record: UpstreamObject, reader: ValueReader): ShippingListItem | undefined {
  const fields = toCommonFields(record, reader);
  if (fields === undefined) return undefined;
  const createdBy = reader.text(record.CreatedBy ?? record.createdBy, 'CreatedBy');
  return { ...fields, createdBy, isActive: isActive(record, reader) };
}

/** The fields that all records have, in the documented order, in which `isActive` is the last one. */
function toCommonFields(record: UpstreamObject, reader: ValueReader) {
  const id = idOf(record, reader);
  if (id === undefined) return undefined;
  const status = toStatus(record.Status ?? record.status, reader);
  return {
    id,
    orderId: reader.text(record.OrderId ?? record.orderId, 'OrderId'),
    shippingAddress: reader.text(record.ShippingAddress ?? record.shippingAddress, 'ShippingAddress'),
    trackingNumber: reader.text(record.TrackingNumber ?? record.trackingNumber, 'TrackingNumber'),
    status,
    statusDescription: status,
    totalWeight: reader.number(record.TotalWeight ?? record.totalWeight, 'TotalWeight'),
    createdDate: reader.date(record.CreatedDate ?? record.createdDate, 'CreatedDate'),
  };
}

function idOf(record: UpstreamObject, reader: ValueReader): string | undefined {
  const id = reader.text(record.Id ?? record.id, 'Id');
  return id === null || id.trim() === '' ? undefined : id;
}

/** The status of a word of the external system, whatever the case of the word. */
function toStatus(value: unknown, reader: ValueReader): ShippingStatus {
  const text = reader.text(value, 'Status');
  if (text === null) return ShippingStatus.Unknown;
  const status = STATUS_WORDS.get(text.toLowerCase());
  if (status === undefined) reader.unknownWord(text);
  return status ?? ShippingStatus.Unknown;
}

function isActive(record: UpstreamObject, reader: ValueReader): boolean {
  return reader.boolean(record.IsDeleted ?? record.isDeleted, 'IsDeleted') !== true;
}

/** The fields of a shipping item, by their names in both spellings. */
const ITEM_FIELDS = ['Id', 'Sku', 'Description', 'Quantity', 'Weight'].flatMap((name) => [name, name.toLowerCase()]);

function toShippingItem(item: UpstreamObject, reader: ValueReader) {
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

/** The records of a list. Services in Go send `null` where there are none, and a total of 0 confirms it (D14). */
function arrayOf(object: UpstreamObject, name: string, total: number | undefined): readonly unknown[] {
  const value = fieldOf(object, name);
  if (Array.isArray(value)) return value;
  if (value === null && total === 0) return [];
  throw wrongShape(value === undefined ? `no ${name}: absent` : `${name}: ${kindOf(value)}`);
}

/** The value of a field, by its name in PascalCase or in camelCase. */
function fieldOf(object: UpstreamObject, name: string): unknown {
  const value = object[name] ?? object[name.charAt(0).toLowerCase() + name.slice(1)];
  return value === undefined ? object[name] : value;
}

/** A count, also one that is sent as text, as those with protobuf do; `undefined` for any other value (D14). */
function countOf(object: UpstreamObject, name: string, min = 0): number | undefined {
  const value = fieldOf(object, name);
  const count = typeof value === 'string' && /^(?:0|[1-9]\d*)$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= min ? count : undefined;
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

/**
 * What the compiler requires of a value: nothing where its type is unknown, as it came from the wire, otherwise the
 * expected type and no field beyond.
 */
type Checked<Value, Expected> = unknown extends Value
  ? Value
  : string extends keyof Value
    ? Value
    : Expected & Readonly<Record<Exclude<keyof Value, keyof Expected>, never>>;

/** A record. The compiler accepts `null` and `undefined`, too: the mapping counts them as malformed. */
type RecordBody<Body> = Body extends null | undefined ? Body : Checked<Body, StandardRecord>;

type Records<Value> = Value extends readonly (infer Element)[] ? readonly RecordBody<Element>[] : unknown;

/** The names of the paging values beside the records of a page. */
type PagingName = 'TotalCount' | 'PageNumber' | 'PageSize' | 'TotalPages' | 'HasPreviousPage' | 'HasNextPage';

/** The body of a list: its records in the field `Name`, and no other fields but `Others`. */
type ListBody<Body, Name extends string, Others extends string> = Checked<
  Body,
  Readonly<Record<Name, Records<Body[Name & keyof Body]>>> & Readonly<Partial<Record<Others, unknown>>>
>;
