import { z } from 'zod';
import type { ShippingRecord } from './records';

const text = z.string().regex(/^[^\u0000-\u001f\u007f]+$/, 'must be one text without control characters');
const date = z.iso.datetime({ precision: 3, error: 'must be a date as YYYY-MM-DDThh:mm:ss.sssZ' });
const integer = z
  .string()
  .regex(/^[0-9]{1,10}$/, 'must be decimal digits')
  .transform(Number);
const count = integer.pipe(z.int32().min(1));

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
// that a query that an application adds can send parameters of its own to the sandbox.
export const singleQuery = z
  .object({ ...narrowing, Id: text.optional(), TrackingNumber: text.optional() })
  .refine((query) => query.Id ?? query.OrderId ?? query.TrackingNumber, 'Id, OrderId or TrackingNumber is required');

export const detailsQuery = z.object({ ...list, Limit: count.optional() });

export const pageQuery = z.object({
  ...list,
  PageNumber: count,
  PageSize: integer.pipe(z.int().min(1).max(1_000)),
  SortBy: z.enum(['CreatedDate', 'Status', 'TrackingNumber']),
  SortDirection: z.enum(['asc', 'desc']),
});

export type SingleQuery = z.infer<typeof singleQuery>;
export type DetailsQuery = z.infer<typeof detailsQuery>;
export type PageQuery = z.infer<typeof pageQuery>;

type Filter = Omit<DetailsQuery & SingleQuery, 'Limit'>;
type Sorting = Pick<PageQuery, 'SortBy' | 'SortDirection'>;

interface Entry extends Record<'Id' | 'OrderId' | 'TrackingNumber' | 'Status' | 'CreatedDate', string> {
  readonly record: ShippingRecord;
  readonly searchable: string;
  readonly isListed: boolean;
}

const EXACT = ['Id', 'OrderId', 'TrackingNumber', 'Status'] as const;
const NEWEST_FIRST: Sorting = { SortBy: 'CreatedDate', SortDirection: 'desc' };

/**
 * Executes the queries of the specification. Records with equal sort keys are in the order of their Ids, so that pages
 * never overlap.
 */
export class QueryRules {
  /** The most records of a list without `Limit`: 100 in the variant `extended` of the sandbox, no bound in `basic`. */
  readonly defaultLimit: number;
  private readonly entries: readonly Entry[];
  private readonly sorted = new Map<string, readonly Entry[]>();

  constructor(
    records: readonly ShippingRecord[],
    private readonly isExtended: boolean,
  ) {
    this.defaultLimit = isExtended ? 100 : Infinity;
    this.entries = records.map((record) => this.toEntry(record)).sort(by('Id'));
  }

  /** Finds the newest record that matches, soft-deleted or not (D29). */
  find(filter: Filter): ShippingRecord | undefined {
    return this.sortedBy(NEWEST_FIRST).find(this.matcher(filter))?.record;
  }

  /** Lists all records that match; in the variant `extended` of the sandbox, without the soft-deleted ones (D29). */
  list(filter: Filter, sorting: Sorting = NEWEST_FIRST): ShippingRecord[] {
    const matches = this.matcher(filter);
    const entries = this.sortedBy(sorting).filter((entry) => entry.isListed && matches(entry));
    return entries.map(({ record }) => record);
  }

  private matcher({ SearchTerm, FromDate, ToDate, ...filter }: Filter): (entry: Entry) => boolean {
    const exact = EXACT.filter((name) => filter[name] !== undefined);
    const term = SearchTerm === undefined ? undefined : this.toSearchable(SearchTerm);
    return (entry) =>
      exact.every((name) => filter[name] === entry[name]) &&
      (FromDate === undefined || FromDate <= entry.CreatedDate) &&
      (ToDate === undefined || ToDate >= entry.CreatedDate) &&
      (term === undefined || entry.searchable.includes(term));
  }

  private sortedBy({ SortBy, SortDirection }: Sorting): readonly Entry[] {
    const name = `${SortBy} ${SortDirection}`;
    const sorted = this.sorted.get(name) ?? this.entries.toSorted(by(SortBy, SortDirection));
    this.sorted.set(name, sorted);
    return sorted;
  }

  private toEntry(record: ShippingRecord): Entry {
    const searched = [record.ShippingAddress, record.TrackingNumber, this.isExtended ? record.OrderId : ''];
    return {
      ...record,
      record,
      TrackingNumber: record.TrackingNumber ?? '',
      Status: STATUS_BY_TEXT.get(record.Status?.toLowerCase() ?? '') ?? 'Unknown',
      // The separator is a control character. Schemas refuse it in search terms, so that no term matches across two
      // fields.
      searchable: this.toSearchable(searched.join('\u001f')),
      isListed: !(this.isExtended && record.IsDeleted),
    };
  }

  /**
   * Makes search terms and searched texts comparable. The variant `extended` of the sandbox ignores case, by upper
   * case, because only there `ß` equals `ss`.
   */
  private toSearchable(text: string): string {
    const composed = text.normalize('NFC');
    return this.isExtended ? composed.toUpperCase() : composed;
  }
}

function by(key: 'Id' | PageQuery['SortBy'], direction = 'asc'): (one: Entry, other: Entry) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (one, other) => sign * (Number(one[key] > other[key]) - Number(one[key] < other[key]));
}
