import { SUMMARY_FIELDS, type ShippingRecord, type ShippingSummary } from './shipping-record';
import type { PageCriteria } from './shipping.repository';

/** These are left out where they are unknown; other unknown values are null. */
type LeftOut = 'status' | 'createdBy';
const LEFT_OUT: ReadonlySet<keyof ShippingSummary> = new Set<LeftOut>(['status', 'createdBy']);

/** A record on the wire, in lists. */
export type SummaryReply = {
  [Field in Exclude<keyof ShippingSummary, LeftOut> as Capitalize<Field>]: ShippingSummary[Field];
} & { Status?: string; CreatedBy?: string };

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
  const sent = { ...record, modifiedDate: record.modifiedDate?.replace('Z', '') ?? null };
  const present = SUMMARY_FIELDS.filter(({ field }) => !LEFT_OUT.has(field) || record[field] !== null);
  return Object.fromEntries(present.map(({ field, wireName }) => [wireName, sent[field]])) as unknown as SummaryReply;
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
