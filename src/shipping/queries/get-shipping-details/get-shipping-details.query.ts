import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { ShippingListQuery } from '../shipping-query';
import type { GetShippingDetailsParams } from './get-shipping-details.params';

/** Asks for a simple list of shippings. */
export class GetShippingDetailsQuery extends ShippingListQuery<GetShippingDetailsParams, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}
