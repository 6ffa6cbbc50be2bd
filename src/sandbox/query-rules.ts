import { z } from 'zod';
import type { ShippingRecord } from './records';

const text = z.string().regex(/^[^\u0000-\u001f\u007f]+$/);
const date = z.iso.datetime({ precision: 3 });
const count = z.coerce.number<string>().int().min(1);

/** The statuses by which clients filter, by the text that records have. */
const STATUS_BY_TEXT = new Map(
  Object.entries({ created: 'Created', in_transit: 'InTransit', delivered: 'Delivered', cancelled: 'Cancelled' }),
);

const narrowing = {
  OrderId: text.optional(),
  Status: z.enum([...STATUS_BY_TEXT.values(), 'Unknown']).optional(),
  FromDate: date.optional(),
  ToDate: date.optional(),
};
const list = { ...narrowing, SearchTerm: text.optional() };

// The schemas are strict about values, so that a mistake of the gateway becomes a 400. They ignore unknown names, so
// that a query that an application adds can send parameters of its own to the sandbox. Each has the name of its type.
export const SingleQuery = z
  .object({ ...narrowing, Id: text.optional(), TrackingNumber: text.optional() })
  .refine((query) => query.Id ?? query.OrderId ?? query.TrackingNumber, 'Id, OrderId or TrackingNumber is required');

export const DetailsQuery = z.object({ ...list, Limit: count.optional() });

export const PageQuery = z.object({
  ...list,
  PageNumber: count,
  PageSize: count.max(1_000),
  SortBy: z.enum(['CreatedDate', 'Status', 'TrackingNumber']),
  SortDirection: z.enum(['asc', 'desc']),
});

export type SingleQuery = z.infer<typeof SingleQuery>;
export type DetailsQuery = z.infer<typeof DetailsQuery>;
export type PageQuery = z.infer<typeof PageQuery>;

type Filter = Omit<DetailsQuery & SingleQuery, 'Limit'>;
type Sorting = Pick<PageQuery, 'SortBy' | 'SortDirection'>;

const EXACT = ['Id', 'OrderId', 'TrackingNumber', 'Status'] as const;
const NEWEST_FIRST: Sorting = { SortBy: 'CreatedDate', SortDirection: 'desc' };

/**
 * Executes the queries of the specification. Records with equal sort keys are in the order of their Ids, so that pages
 * never overlap.
 */
export class QueryRules {
  /** The most records of a list without `Limit`: 100 in the variant `extended` of the sandbox, no bound in `basic`. */
  readonly defaultLimit: number;
  private readonly records: readonly ShippingRecord[];

  constructor(
    records: readonly ShippingRecord[],
    private readonly isExtended: boolean,
  ) {
    this.defaultLimit = isExtended ? 100 : Infinity;
    this.records = records.toSorted(by(NEWEST_FIRST));
  }

  /** Finds the newest record that matches, soft-deleted or not (D29). */
  find(filter: Filter): ShippingRecord | undefined {
    return this.records.find(this.matcher(filter));
  }

  /** Lists all records that match; in the variant `extended` of the sandbox, without the soft-deleted ones (D29). */
  list(filter: Filter, sorting: Sorting = NEWEST_FIRST): ShippingRecord[] {
    const matches = this.matcher(filter);
    const isListed = ({ IsDeleted }: ShippingRecord): boolean => !(this.isExtended && IsDeleted);
    return this.records.filter((record) => isListed(record) && matches(record)).sort(by(sorting));
  }

  private matcher({ SearchTerm, FromDate, ToDate, ...filter }: Filter): (record: ShippingRecord) => boolean {
    const exact = EXACT.filter((name) => filter[name] !== undefined);
    const term = SearchTerm === undefined ? undefined : this.comparable(SearchTerm);
    return (record) =>
      exact.every((name) => filter[name] === valueOf(record, name)) &&
      (FromDate === undefined || FromDate <= record.CreatedDate) &&
      (ToDate === undefined || ToDate >= record.CreatedDate) &&
      (term === undefined || this.searchedTexts(record).some((text) => this.comparable(text).includes(term)));
  }

  private searchedTexts({ ShippingAddress, TrackingNumber, OrderId }: ShippingRecord): string[] {
    return [ShippingAddress, TrackingNumber ?? '', ...(this.isExtended ? [OrderId] : [])];
  }

  /** The variant `extended` of the sandbox ignores case, by upper case, because only there `ß` equals `ss`. */
  private comparable(text: string): string {
    const composed = text.normalize('NFC');
    return this.isExtended ? composed.toUpperCase() : composed;
  }
}

/** The text by which a record is filtered and sorted. */
function valueOf(record: ShippingRecord, name: (typeof EXACT)[number] | 'CreatedDate'): string {
  if (name === 'Status') return STATUS_BY_TEXT.get(record.Status?.toLowerCase() ?? '') ?? 'Unknown';
  return record[name] ?? '';
}

/** The order of records: by the sort key, then by the Id. */
function by({ SortBy, SortDirection }: Sorting) {
  const sign = SortDirection === 'asc' ? 1 : -1;
  return (one: ShippingRecord, other: ShippingRecord): number =>
    sign * compare(valueOf(one, SortBy), valueOf(other, SortBy)) || compare(one.Id, other.Id);
}

function compare(text: string, other: string): number {
  return Number(text > other) - Number(text < other);
}
