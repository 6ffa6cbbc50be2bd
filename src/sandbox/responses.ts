import { SUMMARY_FIELDS, type ShippingRecord, type ShippingSummary } from './shipping-record';
import type { PageCriteria } from './shipping.repository';

/** These are left out where they are unknown; other unknown values are null. */
type LeftOut = 'status' | 'createdBy';
const LEFT_OUT: ReadonlySet<keyof ShippingSummary> = new Set<LeftOut>(['status', 'createdBy']);

/** A record on the wire, in lists. */
export type SummaryResponse = {
  [Field in Exclude<keyof ShippingSummary, LeftOut> as Capitalize<Field>]: ShippingSummary[Field];
} & { Status?: string; CreatedBy?: string };

/** A record on the wire, in the single lookups. */
export interface RecordResponse extends SummaryResponse {
  ShippingItems: { Id: string; Sku: string; Description: string; Quantity: number; Weight: number }[];
}

/** The response of the unpaged list. */
export interface DetailsResponse {
  ShippingDetails: SummaryResponse[];
}

/** The response of the paged list. */
export interface PageResponse {
  Items: SummaryResponse[];
  TotalCount: number;
  PageNumber: number;
  PageSize: number;
  TotalPages: number;
  HasPreviousPage: boolean;
  HasNextPage: boolean;
}

/** CreatedDate states its zone, ModifiedDate does not and means UTC: both occur in such systems. */
export function toSummaryResponse(record: ShippingSummary): SummaryResponse {
  const sent = { ...record, modifiedDate: record.modifiedDate?.replace('Z', '') ?? null };
  const present = SUMMARY_FIELDS.filter(({ field }) => !LEFT_OUT.has(field) || record[field] !== null);
  return Object.fromEntries(
    present.map(({ field, wireName }) => [wireName, sent[field]]),
  ) as unknown as SummaryResponse;
}

export function toRecordResponse(record: ShippingRecord): RecordResponse {
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

export function toDetailsResponse(records: ShippingSummary[]): DetailsResponse {
  return { ShippingDetails: records.map(toSummaryResponse) };
}

export function toPageResponse<Item>(
  items: Item[],
  totalCount: number,
  { pageNumber, pageSize }: Pick<PageCriteria, 'pageNumber' | 'pageSize'>,
): Omit<PageResponse, 'Items'> & { Items: Item[] } {
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
