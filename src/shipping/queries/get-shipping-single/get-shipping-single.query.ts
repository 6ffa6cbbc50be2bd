import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingQuery } from '../shared/shipping-query';
import type { GetShippingSingleParams } from './get-shipping-single.params';

/** Finds the one record that matches all criteria. */
export class GetShippingSingleQuery extends ShippingQuery<GetShippingSingleParams, ShippingDetail> {}
