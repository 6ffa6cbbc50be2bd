import { isListOf } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { toLookupItems } from '../../gateway/protocol/response-mapping';
import { ShippingLookupItem } from '../../model/shipping-lookup-item';
import type { GetShippingDetailsParams } from './get-shipping-details.params';

const DETAILS: Operation = { name: 'details', path: ({ details }) => details, isBody: isListOf(ShippingLookupItem) };

/** The upstream request of `GetShippingDetails`. */
export function detailsRequest(params: GetShippingDetailsParams): UpstreamRequest<ShippingLookupItem[]> {
  const { SearchTerm, OrderId, Status, FromDate, ToDate, Limit } = params;
  return {
    operation: DETAILS,
    parameters: { SearchTerm, OrderId, Status, FromDate, ToDate, Limit },
    read: toLookupItems,
  };
}
