import { SUMMARY_FIELDS, type ShippingRecord, type ShippingSummary } from './shipping-record';
import type { PageCriteria } from './shipping.repository';

/** These are left out where they are unknown; other unknown values are null. */
const LEFT_OUT: ReadonlySet<keyof ShippingSummary> = new Set(['status', 'createdBy']);

/** A body, or a part of one, as it is sent. */
type WireObject = Readonly<Record<string, unknown>>;

/** CreatedDate states its zone, ModifiedDate does not and means UTC: both occur in such systems. */
export function toSummaryResponse(record: ShippingSummary): WireObject {
  const sent = { ...record, modifiedDate: record.modifiedDate?.replace('Z', '') ?? null };
  const present = SUMMARY_FIELDS.filter(({ field }) => !LEFT_OUT.has(field) || record[field] !== null);
  return Object.fromEntries(present.map(({ field, wireName }) => [wireName, sent[field]]));
}

export function toRecordResponse(record: ShippingRecord): WireObject {
  return {
    ...toSummaryResponse(record),
    ShippingItems: record.shippingItems.map((item) => ({
      Id: item.id,
      Sku: item.sku,
      Description: item.description,
      Quantity: item.quantity,
      Weight: item.weight,
    })),
  };
}

export function toDetailsResponse(records: ShippingSummary[]): WireObject {
  return { ShippingDetails: records.map(toSummaryResponse) };
}

export function toPageResponse(
  items: readonly unknown[],
  totalCount: number,
  { pageNumber, pageSize }: Pick<PageCriteria, 'pageNumber' | 'pageSize'>,
): WireObject {
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
