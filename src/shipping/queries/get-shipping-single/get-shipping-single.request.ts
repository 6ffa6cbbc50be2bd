import { isModel } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { ShippingDetail } from '../../model/shipping-detail';
import type { GetShippingSingleParams } from './get-shipping-single.params';

const SINGLE: Operation = { name: 'single', path: ({ single }) => single, isBody: isModel(ShippingDetail) };

/** The upstream request of `GetShippingSingle`. */
export function singleRequest(params: GetShippingSingleParams): UpstreamRequest<'record'> {
  const { Id, OrderId, TrackingNumber, Status, FromDate, ToDate } = params;
  return {
    operation: SINGLE,
    result: 'record',
    parameters: { Id, OrderId, TrackingNumber, Status, FromDate, ToDate },
  };
}
