import { COMPLETE, PARTIAL, type Answer } from '../model/completeness';
import type { PagedShippingList } from '../model/paged-shipping-list';
import type { ShippingDetail, ShippingItem } from '../model/shipping-detail';
import type { ShippingListItem } from '../model/shipping-list-item';
import type { ShippingLookupItem } from '../model/shipping-lookup-item';
import { shippingStatusFromExternalText } from '../model/shipping-status';
import { wrongShape } from './failures';
import { field, isWireObject, RecordReader, type Oddities, type WireObject } from './record-reader';

/** The page that was asked for: it settles what the reply leaves open. */
export interface RequestedPage {
  readonly PageNumber: number;
  readonly PageSize: number;
}

/** @throws {AttemptFailure} where the reply is no object with `ShippingDetails` */
export function toLookupItems(reply: unknown): Answer<ShippingLookupItem[]> {
  return toRecords(arrayField(reply, 'ShippingDetails'), toLookupItem);
}

/** @throws {AttemptFailure} where the reply is no object with `Items` and a usable `TotalCount` */
export function toPagedList(reply: unknown, requested: RequestedPage): Answer<PagedShippingList> {
  const { body: items, completeness } = toRecords(arrayField(reply, 'Items'), toListItem);
  const figures = reply as WireObject;
  const totalCount = count(figures, 'TotalCount', 0);
  if (totalCount === undefined) throw wrongShape('The reply has no usable TotalCount');
  const pageNumber = count(figures, 'PageNumber', 1) ?? requested.PageNumber;
  const pageSize = count(figures, 'PageSize', 1) ?? requested.PageSize;
  const totalPages = count(figures, 'TotalPages', 0) ?? Math.ceil(totalCount / pageSize);
  const hasPreviousPage = flag(figures, 'HasPreviousPage') ?? (pageNumber > 1 && totalPages > 0);
  const hasNextPage = flag(figures, 'HasNextPage') ?? pageNumber < totalPages;
  return { body: { items, totalCount, pageNumber, pageSize, totalPages, hasPreviousPage, hasNextPage }, completeness };
}

/** @throws {AttemptFailure} where the reply is no record with a usable Id */
export function toShippingDetail(reply: unknown): Answer<ShippingDetail> {
  const oddities: Oddities = { found: false };
  if (!isWireObject(reply)) throw wrongShape('The reply is no record');
  const reader = new RecordReader(reply, oddities);
  const item = toListItem(reader);
  if (item === undefined) throw wrongShape('The record has no usable Id');
  const body: ShippingDetail = {
    ...item,
    modifiedDate: reader.date('ModifiedDate'),
    modifiedBy: reader.text('ModifiedBy'),
    shippingItems: reader.objects('ShippingItems').map((raw) => toShippingItem(new RecordReader(raw, oddities))),
  };
  return { body, completeness: oddities.found ? PARTIAL : COMPLETE };
}

function toRecords<T>(raw: readonly unknown[], read: (reader: RecordReader) => T | undefined): Answer<T[]> {
  const oddities: Oddities = { found: false };
  const body: T[] = [];
  for (const value of raw) {
    const record = isWireObject(value) ? read(new RecordReader(value, oddities)) : undefined;
    if (record === undefined) oddities.found = true;
    else body.push(record);
  }
  return { body, completeness: oddities.found ? PARTIAL : COMPLETE };
}

function toLookupItem(reader: RecordReader): ShippingLookupItem | undefined {
  const fields = commonFields(reader);
  return fields === undefined ? undefined : { ...fields, isActive: isActive(reader) };
}

function toListItem(reader: RecordReader): ShippingListItem | undefined {
  const fields = commonFields(reader);
  if (fields === undefined) return undefined;
  return { ...fields, createdBy: reader.text('CreatedBy'), isActive: isActive(reader) };
}

function isActive(reader: RecordReader): boolean {
  return reader.boolean('IsDeleted') !== true;
}

/** What all forms of a record begin with; `undefined` where it has no usable Id. */
function commonFields(reader: RecordReader): Omit<ShippingLookupItem, 'isActive'> | undefined {
  const id = reader.text('Id');
  if (id === null || id.trim() === '') return undefined;
  const status = shippingStatusFromExternalText(reader.text('Status'));
  return {
    id,
    orderId: reader.text('OrderId'),
    shippingAddress: reader.text('ShippingAddress'),
    trackingNumber: reader.text('TrackingNumber'),
    status,
    statusDescription: status,
    totalWeight: reader.number('TotalWeight'),
    createdDate: reader.date('CreatedDate'),
  };
}

function toShippingItem(reader: RecordReader): ShippingItem {
  return {
    id: reader.text('Id'),
    sku: reader.text('Sku'),
    description: reader.text('Description'),
    quantity: reader.number('Quantity'),
    weight: reader.number('Weight'),
  };
}

function arrayField(reply: unknown, name: string): readonly unknown[] {
  const value = isWireObject(reply) ? field(reply, name) : undefined;
  if (!Array.isArray(value)) throw wrongShape(`The reply has no usable ${name}`);
  return value;
}

function count(reply: WireObject, name: string, min: number): number | undefined {
  const value = field(reply, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function flag(reply: WireObject, name: string): boolean | undefined {
  const value = field(reply, name);
  return typeof value === 'boolean' ? value : undefined;
}
