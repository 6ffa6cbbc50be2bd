import { isListOf } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { ShippingLookupItem } from '../../model/shipping-lookup-item';
import type { GetShippingDetailsParams } from './get-shipping-details.params';

const DETAILS: Operation = { name: 'details', path: ({ details }) => details, isBody: isListOf(ShippingLookupItem) };

/** The upstream request of `GetShippingDetails`. */
export function detailsRequest(params: GetShippingDetailsParams): UpstreamRequest<'list'> {
  const { SearchTerm, OrderId, Status, FromDate, ToDate, Limit } = params;
  return {
    operation: DETAILS,
    result: 'list',
    parameters: { SearchTerm, OrderId, Status, FromDate, ToDate, Limit },
  };
}
