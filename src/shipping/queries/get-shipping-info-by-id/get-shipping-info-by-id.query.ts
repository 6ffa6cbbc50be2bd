import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { ShippingDetail } from '../../model/response-bodies';
import { Identifier } from '../shared/parameters';
import { ConvertedByOptions, ShippingQuery } from '../shared/shipping-query';

/** The path parameter of `GetShippingInfoById`. */
@ConvertedByOptions()
export class GetShippingInfoByIdParams {
  @Identifier() id: string;
}

/** Finds the record with an identifier. */
export class GetShippingInfoByIdQuery extends ShippingQuery<GetShippingInfoByIdParams, ShippingDetail> {}

const OPERATION: UpstreamOperation = { name: 'by-id', path: ({ byId }) => byId };

export function requestOf({ id }: GetShippingInfoByIdParams): UpstreamRequest {
  return { operation: OPERATION, id };
}
