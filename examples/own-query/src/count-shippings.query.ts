import {
  FromDate,
  ShippingQuery,
  type ShippingStatus,
  Status,
  ToDate,
  type UpstreamRequest,
} from 'shipping-query-service';

/** Filters of `CountShippings`. */
export class CountShippingsParams {
  @Status()
  Status?: ShippingStatus;

  @FromDate()
  FromDate?: Date;

  @ToDate()
  ToDate?: Date;
}

export interface ShippingCount {
  readonly count: number;
}

/** Counts the shipments that match. */
export class CountShippingsQuery extends ShippingQuery<CountShippingsParams, ShippingCount> {}

/**
 * The upstream request: a page of one record, because every page has the total. `count` is the name of the operation in
 * metrics and cache, and gives it a circuit breaker of its own.
 */
export function countRequest(params: CountShippingsParams): UpstreamRequest {
  const page = { PageNumber: 1, PageSize: 1, SortBy: 'CreatedDate', SortDirection: 'desc' };
  return { operation: { name: 'count', path: ({ paged }) => paged }, parameters: { ...params, ...page } };
}
