import type { ShippingRecord } from './shipping-record';
import type { PageCriteria, ShippingSummary } from './shipping.repository';

/** A record on the wire, in lists. `Status` is left out where the record has none. */
export interface SummaryReply {
  Id: string;
  OrderId: string;
  ShippingAddress: string;
  TrackingNumber: string;
  Status?: string;
  TotalWeight: number;
  CreatedDate: string;
  CreatedBy: string;
  ModifiedDate: string | null;
  ModifiedBy: string | null;
  IsDeleted: boolean;
}

/** A record on the wire, as the single lookups reply it. */
export interface RecordReply extends SummaryReply {
  ShippingItems: { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

/** The reply of the unpaged list. */
export interface DetailsReply {
  ShippingDetails: SummaryReply[];
}

/** The reply of the paged list. */
export interface PageReply {
  Items: SummaryReply[];
  TotalCount: number;
  PageNumber: number;
  PageSize: number;
  TotalPages: number;
  HasPreviousPage: boolean;
  HasNextPage: boolean;
}

/** CreatedDate states its zone, ModifiedDate does not and means UTC: both occur in such systems. */
export function toSummaryReply(record: ShippingSummary): SummaryReply {
  return {
    Id: record.id,
    OrderId: record.orderId,
    ShippingAddress: record.shippingAddress,
    TrackingNumber: record.trackingNumber,
    ...(record.status === null ? {} : { Status: record.status }),
    TotalWeight: record.totalWeight,
    CreatedDate: record.createdDate,
    CreatedBy: record.createdBy,
    ModifiedDate: record.modifiedDate?.replace('Z', '') ?? null,
    ModifiedBy: record.modifiedBy,
    IsDeleted: record.isDeleted,
  };
}

export function toRecordReply(record: ShippingRecord): RecordReply {
  return {
    ...toSummaryReply(record),
    ShippingItems: record.shippingItems.map((item) => ({
      Id: item.id,
      Sku: item.sku,
      Description: item.description,
      Quantity: item.quantity,
      Weight: item.weight,
    })),
  };
}

export function toDetailsReply(records: ShippingSummary[]): DetailsReply {
  return { ShippingDetails: records.map(toSummaryReply) };
}

export function toPageReply<Item>(
  items: Item[],
  totalCount: number,
  { pageNumber, pageSize }: Pick<PageCriteria, 'pageNumber' | 'pageSize'>,
): Omit<PageReply, 'Items'> & { Items: Item[] } {
  const totalPages = Math.ceil(totalCount / pageSize);
  return {
    Items: items,
    TotalCount: totalCount,
    PageNumber: pageNumber,
    PageSize: pageSize,
    TotalPages: totalPages,
    HasPreviousPage: pageNumber > 1,
    HasNextPage: pageNumber < totalPages,
  };
}
