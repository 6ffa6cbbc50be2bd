import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { ShippingLookupItem } from '../../model/response-bodies';
import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, Limit, OrderId, SearchTerm, Status, ToDate } from '../shared/parameters';
import { ShippingListQuery } from '../shared/shipping-query';

/** Filters of `GetShippingDetails`. */
export class GetShippingDetailsParams {
  @SearchTerm()
  SearchTerm?: string;

  @OrderId()
  OrderId?: string;

  @Status()
  Status?: ShippingStatus;

  @FromDate()
  FromDate?: Date;

  @ToDate()
  ToDate?: Date;

  @Limit()
  Limit?: number;
}

/** Lists shipments without pages. */
export class GetShippingDetailsQuery extends ShippingListQuery<GetShippingDetailsParams, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}

const DETAILS: UpstreamOperation = { name: 'details', path: ({ details }) => details };

export function detailsRequest(params: GetShippingDetailsParams): UpstreamRequest {
  return { operation: DETAILS, parameters: { ...params } };
}
