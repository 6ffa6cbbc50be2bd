import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { ShippingLookupItem } from '../../model/response-bodies';
import { Limit } from '../shared/parameters';
import { ConvertedByOptions, ListFilters, ShippingListQuery } from '../shared/shipping-query';

/** Parameters of `GetShippingDetails`. */
@ConvertedByOptions()
export class GetShippingDetailsParams extends ListFilters {
  @Limit() Limit?: number;
}

/** Lists shipments without pages. */
export class GetShippingDetailsQuery extends ShippingListQuery<GetShippingDetailsParams, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}

const OPERATION: UpstreamOperation = { name: 'details', path: ({ details }) => details };

export function requestOf(params: GetShippingDetailsParams): UpstreamRequest {
  return { operation: OPERATION, parameters: { ...params } };
}
