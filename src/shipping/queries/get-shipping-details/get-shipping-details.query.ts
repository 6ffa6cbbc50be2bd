import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { ShippingListQuery } from '../shared/shipping-query';
import type { GetShippingDetailsParams } from './get-shipping-details.params';

/** Lists shipments without pages. */
export class GetShippingDetailsQuery extends ShippingListQuery<GetShippingDetailsParams, ShippingLookupItem[]> {
  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}
