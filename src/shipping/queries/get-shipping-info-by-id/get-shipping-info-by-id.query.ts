import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingQuery } from '../shipping-query';
import type { GetShippingInfoByIdParams } from './get-shipping-info-by-id.params';

/** Asks for the record of one identifier. */
export class GetShippingInfoByIdQuery extends ShippingQuery<GetShippingInfoByIdParams, ShippingDetail> {}
