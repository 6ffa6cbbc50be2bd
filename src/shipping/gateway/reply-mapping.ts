import { COMPLETE, PARTIAL, type Answer, type Completeness } from '../model/completeness';
import type { PagedShippingList } from '../model/paged-shipping-list';
import type { ShippingDetail, ShippingItem } from '../model/shipping-detail';
import type { ShippingListItem } from '../model/shipping-list-item';
import type { ShippingLookupItem } from '../model/shipping-lookup-item';
import { shippingStatusFromExternalText, type ShippingStatus } from '../model/shipping-status';
import { wrongShape } from './failures';
import { isWireObject, ValueReader, type WireObject } from './value-reader';

/** The page that was asked for: it settles what the reply leaves open. */
export interface RequestedPage {
  readonly PageNumber: number;
  readonly PageSize: number;
}

/** @throws {AttemptFailure} where the reply is no object with `ShippingDetails` */
export function toLookupItems(reply: unknown): Answer<ShippingLookupItem[]> {
  const { ShippingDetails, shippingDetails } = objectOf(reply);
  return toRecords(arrayOf(ShippingDetails ?? shippingDetails, 'ShippingDetails'), toLookupItem);
}

/** @throws {AttemptFailure} where the reply is no object with `Items` and a usable `TotalCount` */
export function toPagedList(reply: unknown, requested: RequestedPage): Answer<PagedShippingList> {
  const wire = objectOf(reply);
  const { body: items, completeness } = toRecords(arrayOf(wire.Items ?? wire.items, 'Items'), toListItem);
  const totalCount = count(wire.TotalCount ?? wire.totalCount, 0);
  if (totalCount === undefined) throw wrongShape('The reply has no usable TotalCount');
  const pageNumber = count(wire.PageNumber ?? wire.pageNumber, 1) ?? requested.PageNumber;
  const pageSize = count(wire.PageSize ?? wire.pageSize, 1) ?? requested.PageSize;
  const totalPages = count(wire.TotalPages ?? wire.totalPages, 0) ?? Math.ceil(totalCount / pageSize);
  const hasPreviousPage = flag(wire.HasPreviousPage ?? wire.hasPreviousPage) ?? (pageNumber > 1 && totalPages > 0);
  const hasNextPage = flag(wire.HasNextPage ?? wire.hasNextPage) ?? pageNumber < totalPages;
  return { body: { items, totalCount, pageNumber, pageSize, totalPages, hasPreviousPage, hasNextPage }, completeness };
}

/** @throws {AttemptFailure} where the reply is no record with a usable Id */
export function toShippingDetail(reply: unknown): Answer<ShippingDetail> {
  if (!isWireObject(reply)) throw wrongShape('The reply is no record');
  const reader = new ValueReader();
  const item = toListItem(reply, reader);
  if (item === undefined) throw wrongShape('The record has no usable Id');
  const shippingItems = reader.objects(reply.ShippingItems ?? reply.shippingItems);
  const body: ShippingDetail = {
    ...item,
    modifiedDate: reader.date(reply.ModifiedDate ?? reply.modifiedDate),
    modifiedBy: reader.text(reply.ModifiedBy ?? reply.modifiedBy),
    shippingItems: shippingItems.map((wire) => toShippingItem(wire, reader)),
  };
  return { body, completeness: completenessOf(reader) };
}

/** Reads each record; one that is no object or has no usable Id is dropped. */
function toRecords<T>(
  values: readonly unknown[],
  read: (wire: WireObject, reader: ValueReader) => T | undefined,
): Answer<T[]> {
  const reader = new ValueReader();
  const body: T[] = [];
  for (const value of values) {
    const record = isWireObject(value) ? read(value, reader) : undefined;
    if (record === undefined) reader.foundOddity = true;
    else body.push(record);
  }
  return { body, completeness: completenessOf(reader) };
}

function toListItem(wire: WireObject, reader: ValueReader): ShippingListItem | undefined {
  const id = usableId(wire, reader);
  if (id === undefined) return undefined;
  const status = statusOf(wire, reader);
  return {
    id,
    orderId: reader.text(wire.OrderId ?? wire.orderId),
    shippingAddress: reader.text(wire.ShippingAddress ?? wire.shippingAddress),
    trackingNumber: reader.text(wire.TrackingNumber ?? wire.trackingNumber),
    status,
    statusDescription: status,
    totalWeight: reader.number(wire.TotalWeight ?? wire.totalWeight),
    createdDate: reader.date(wire.CreatedDate ?? wire.createdDate),
    createdBy: reader.text(wire.CreatedBy ?? wire.createdBy),
    isActive: isActive(wire, reader),
  };
}

/** The list item without `createdBy`; written out, because copying an object by spreading it costs ten times as much. */
function toLookupItem(wire: WireObject, reader: ValueReader): ShippingLookupItem | undefined {
  const id = usableId(wire, reader);
  if (id === undefined) return undefined;
  const status = statusOf(wire, reader);
  return {
    id,
    orderId: reader.text(wire.OrderId ?? wire.orderId),
    shippingAddress: reader.text(wire.ShippingAddress ?? wire.shippingAddress),
    trackingNumber: reader.text(wire.TrackingNumber ?? wire.trackingNumber),
    status,
    statusDescription: status,
    totalWeight: reader.number(wire.TotalWeight ?? wire.totalWeight),
    createdDate: reader.date(wire.CreatedDate ?? wire.createdDate),
    isActive: isActive(wire, reader),
  };
}

function toShippingItem(wire: WireObject, reader: ValueReader): ShippingItem {
  return {
    id: reader.text(wire.Id ?? wire.id),
    sku: reader.text(wire.Sku ?? wire.sku),
    description: reader.text(wire.Description ?? wire.description),
    quantity: reader.number(wire.Quantity ?? wire.quantity),
    weight: reader.number(wire.Weight ?? wire.weight),
  };
}

function usableId(wire: WireObject, reader: ValueReader): string | undefined {
  const id = reader.text(wire.Id ?? wire.id);
  return id === null || id.trim() === '' ? undefined : id;
}

function statusOf(wire: WireObject, reader: ValueReader): ShippingStatus {
  return shippingStatusFromExternalText(reader.text(wire.Status ?? wire.status));
}

function isActive(wire: WireObject, reader: ValueReader): boolean {
  return reader.boolean(wire.IsDeleted ?? wire.isDeleted) !== true;
}

function completenessOf(reader: ValueReader): Completeness {
  return reader.foundOddity ? PARTIAL : COMPLETE;
}

/** The reply, or an object without fields in its place. */
function objectOf(reply: unknown): WireObject {
  return isWireObject(reply) ? reply : {};
}

function arrayOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongShape(`The reply has no usable ${name}`);
  return value;
}

function count(value: unknown, min: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
