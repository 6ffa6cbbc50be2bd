import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { ShippingLookupItem } from '../../model/response-bodies';
import { MAX_LIMIT } from '../../model/parameter-rules';
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
  return { operation: DETAILS, parameters: { ...params, Limit: limitOf(params) } };
}

export function limitOf({ Limit }: GetShippingDetailsParams): number | undefined {
  return Limit === undefined ? undefined : Math.min(Limit, MAX_LIMIT);
}
