import type { ShippingDetail } from '../../model/shipping-detail';
import { ShippingQuery } from '../shipping-query';
import type { GetShippingSingleParams } from './get-shipping-single.params';

/** Asks for the one record that all criteria describe. */
export class GetShippingSingleQuery extends ShippingQuery<GetShippingSingleParams, ShippingDetail> {}
