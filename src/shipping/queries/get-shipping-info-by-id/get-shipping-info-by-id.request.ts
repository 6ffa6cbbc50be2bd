import { isModel } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { ShippingDetail } from '../../model/shipping-detail';
import type { GetShippingInfoByIdParams } from './get-shipping-info-by-id.params';

const BY_ID: Operation = { name: 'by-id', path: ({ byId }) => byId, isBody: isModel(ShippingDetail) };

/** The upstream request of `GetShippingInfoById`. */
export function infoByIdRequest({ id }: GetShippingInfoByIdParams): UpstreamRequest<'record'> {
  return { operation: BY_ID, result: 'record', id };
}
