import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { ShippingDetail } from '../../model/response-bodies';
import type { ShippingStatus } from '../../model/shipping-status';
import { AtLeastOneOf, FromDate, Identifier, OrderId, Status, ToDate, TrackingNumber } from '../shared/parameters';
import { ConvertedByOptions, ShippingQuery } from '../shared/shipping-query';

/** Criteria of `GetShippingSingle`. */
@ConvertedByOptions()
export class GetShippingSingleParams {
  @AtLeastOneOf('Id', 'OrderId', 'TrackingNumber') @Identifier() Id?: string;
  @OrderId() OrderId?: string;
  @TrackingNumber() TrackingNumber?: string;
  @Status() Status?: ShippingStatus;
  @FromDate() FromDate?: Date;
  @ToDate() ToDate?: Date;
}

/** Finds one record by criteria. */
export class GetShippingSingleQuery extends ShippingQuery<GetShippingSingleParams, ShippingDetail> {}

const OPERATION: UpstreamOperation = { name: 'single', path: ({ single }) => single };

export function requestOf(params: GetShippingSingleParams): UpstreamRequest {
  return { operation: OPERATION, parameters: { ...params } };
}
