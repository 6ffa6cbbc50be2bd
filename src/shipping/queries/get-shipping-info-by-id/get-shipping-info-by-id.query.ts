import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingQuery } from '../shared/shipping-query';
import type { GetShippingInfoByIdParams } from './get-shipping-info-by-id.params';

/** Finds the record with an identifier. */
export class GetShippingInfoByIdQuery extends ShippingQuery<GetShippingInfoByIdParams, ShippingDetail> {}
