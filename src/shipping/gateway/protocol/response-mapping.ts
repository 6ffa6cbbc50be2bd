import { isoUtc } from '../../../common/iso-date';
import { failedStatus, isSuccess, notFoundPage, retryAfterMs, wrongShape } from '../../../resilience/http-failures';
import { PAGE_NUMBER, PAGE_SIZE } from '../../model/parameter-rules';
import { COMPLETE, PARTIAL, type Completeness, type QueryResult } from '../../model/query-result';
import type {
  PagedShippingList,
  ShippingDetail,
  ShippingItem,
  ShippingListItem,
  ShippingLookupItem,
} from '../../model/response-bodies';
import { ShippingStatus, STATUS_WORDS } from '../../model/shipping-status';
import { describeType, isJsonType, mediaTypeOf } from '../transport/response-text';
import { UNREADABLE_BODY } from '../transport/undici-http.service';
import type { UpstreamParameters, UpstreamResponse } from './shipping-protocol';

/** A JSON object with fields in PascalCase or camelCase. */
export type UpstreamObject = Readonly<Record<string, unknown>>;

export function isUpstreamObject(value: unknown): value is UpstreamObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {UpstreamFailure} for every status but 2xx */
export function bodyOf(response: UpstreamResponse): unknown {
  const { status, data, headers } = response;
  if (isSuccess(status)) return data;
  if (status === 404 && !isNotFound(response)) throw notFoundPage(describeType(headers['content-type']));
  throw failedStatus(status, retryAfterMs(headers['retry-after']));
}

/**
 * Whether the external system says by a 404 that it has no such record: with no body, or with one that is JSON by its media
 * type. Any other body, also one that could not be read, is the page of a proxy or of a wrong path (D18).
 */
export function isNotFound({ status, headers, data }: UpstreamResponse): boolean {
  if (status !== 404) return false;
  const isEmpty = data === undefined || data === null || data === '';
  // A mock may hand over parsed JSON without its headers.
  const isParsed = typeof data === 'object';
  return isEmpty || isParsed || (data !== UNREADABLE_BODY && isJsonType(mediaTypeOf(headers['content-type'])));
}

type CommonFields = Omit<ShippingLookupItem, 'isActive'>;

/** @throws {UpstreamFailure} where the body is no object with `ShippingDetails` */
export function toLookupItems(body: unknown, limit?: number): QueryResult<ShippingLookupItem[]> {
  const { ShippingDetails, shippingDetails } = objectOf(body);
  return toRecords(arrayOf(ShippingDetails ?? shippingDetails, 'ShippingDetails').slice(0, limit), toLookupItem);
}

/**
 * @param requested replaces values that the response lacks
 * @throws {UpstreamFailure} where the body has no `Items` or no valid `TotalCount`
 */
export function toPagedList(body: unknown, requested: UpstreamParameters = {}): QueryResult<PagedShippingList> {
  const page = objectOf(body);
  const { body: items, completeness } = toRecords(arrayOf(page.Items ?? page.items, 'Items'), toListItem);
  const totalCount = count(page.TotalCount ?? page.totalCount, 0);
  if (totalCount === undefined) throw wrongShape('The upstream response has no valid TotalCount');
  const pageNumber = count(page.PageNumber ?? page.pageNumber, 1) ?? requested.PageNumber ?? PAGE_NUMBER.default;
  const pageSize = count(page.PageSize ?? page.pageSize, 1) ?? requested.PageSize ?? PAGE_SIZE.default;
  const totalPages = count(page.TotalPages ?? page.totalPages, 0) ?? Math.ceil(totalCount / pageSize);
  const hasPreviousPage = flag(page.HasPreviousPage ?? page.hasPreviousPage) ?? (pageNumber > 1 && totalPages > 0);
  const hasNextPage = flag(page.HasNextPage ?? page.hasNextPage) ?? pageNumber < totalPages;
  return { body: { items, totalCount, pageNumber, pageSize, totalPages, hasPreviousPage, hasNextPage }, completeness };
}

/** @throws {UpstreamFailure} where the body is no record with a valid Id */
export function toShippingDetail(body: unknown): QueryResult<ShippingDetail> {
  if (!isUpstreamObject(body)) throw wrongShape('The upstream response is no record');
  const reader = new ValueReader();
  const item = toListItem(body, reader);
  if (item === undefined) throw wrongShape('The record has no valid Id');
  const items = reader.objects(body.ShippingItems ?? body.shippingItems);
  const detail: ShippingDetail = {
    ...item,
    modifiedDate: reader.date(body.ModifiedDate ?? body.modifiedDate),
    modifiedBy: reader.text(body.ModifiedBy ?? body.modifiedBy),
    shippingItems: items.map((each) => toShippingItem(each, reader)),
  };
  return { body: detail, completeness: completenessOf(reader) };
}

function toRecords<T>(
  values: readonly unknown[],
  map: (record: UpstreamObject, reader: ValueReader) => T | undefined,
): QueryResult<T[]> {
  const reader = new ValueReader();
  const body: T[] = [];
  for (const value of values) {
    const record = isUpstreamObject(value) ? map(value, reader) : undefined;
    if (record !== undefined) body.push(record);
  }
  const dropped = values.length - body.length;
  return {
    body,
    completeness: dropped > 0 ? { level: 'partial', reason: 'bad-reply', dropped } : completenessOf(reader),
  };
}

function toLookupItem(record: UpstreamObject, reader: ValueReader): ShippingLookupItem | undefined {
  const item = toCommonFields(record, reader);
  return item && Object.assign(item, { isActive: isActive(record, reader) });
}

function toListItem(record: UpstreamObject, reader: ValueReader): ShippingListItem | undefined {
  const item = toCommonFields(record, reader);
  const createdBy = reader.text(record.CreatedBy ?? record.createdBy);
  return item && Object.assign(item, { createdBy, isActive: isActive(record, reader) });
}

/** Fields are added by `Object.assign`: spreading ten records takes 30 µs on Node 20, instead of 0.4. */
function toCommonFields(record: UpstreamObject, reader: ValueReader): CommonFields | undefined {
  const id = reader.text(record.Id ?? record.id);
  if (id === null || id.trim() === '') return undefined;
  const status = statusFrom(reader.text(record.Status ?? record.status));
  return {
    id,
    orderId: reader.text(record.OrderId ?? record.orderId),
    shippingAddress: reader.text(record.ShippingAddress ?? record.shippingAddress),
    trackingNumber: reader.text(record.TrackingNumber ?? record.trackingNumber),
    status,
    statusDescription: status,
    totalWeight: reader.number(record.TotalWeight ?? record.totalWeight),
    createdDate: reader.date(record.CreatedDate ?? record.createdDate),
  };
}

/** Ignores case. */
function statusFrom(text: string | null): ShippingStatus {
  return STATUS_WORDS.get((text ?? '').toLowerCase()) ?? ShippingStatus.Unknown;
}

function isActive(record: UpstreamObject, reader: ValueReader): boolean {
  return reader.boolean(record.IsDeleted ?? record.isDeleted) !== true;
}

function toShippingItem(item: UpstreamObject, reader: ValueReader): ShippingItem {
  return {
    id: reader.text(item.Id ?? item.id),
    sku: reader.text(item.Sku ?? item.sku),
    description: reader.text(item.Description ?? item.description),
    quantity: reader.number(item.Quantity ?? item.quantity),
    weight: reader.number(item.Weight ?? item.weight),
  };
}

function completenessOf(reader: ValueReader): Completeness {
  return reader.foundInvalidValue ? PARTIAL : COMPLETE;
}

function objectOf(body: unknown): UpstreamObject {
  return isUpstreamObject(body) ? body : {};
}

function arrayOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongShape(`The upstream response has no valid ${name}`);
  return value;
}

function count(value: unknown, min: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Reads the values of one upstream response; values of the wrong type are unknown and recorded. */
class ValueReader {
  foundInvalidValue = false;

  /** Converts numbers too, unless parsing has rounded them. */
  text(value: unknown): string | null {
    if (typeof value === 'string') return value;
    return isExactNumber(value) ? String(value) : this.unknown(value);
  }

  number(value: unknown): number | null {
    return isExactNumber(value) ? value : this.unknown(value);
  }

  boolean(value: unknown): boolean | null {
    return typeof value === 'boolean' ? value : this.unknown(value);
  }

  /** ISO 8601 UTC with milliseconds. */
  date(value: unknown): string | null {
    return (typeof value === 'string' ? isoUtc(value) : undefined) ?? this.unknown(value);
  }

  /** The objects of an array; other values are left out. */
  objects(value: unknown): readonly UpstreamObject[] {
    if (!Array.isArray(value)) {
      this.unknown(value);
      return [];
    }
    const objects = value.filter(isUpstreamObject);
    if (objects.length < value.length) this.foundInvalidValue = true;
    return objects;
  }

  private unknown(value: unknown): null {
    if (value != null) this.foundInvalidValue = true;
    return null;
  }
}

function isExactNumber(value: unknown): value is number {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
