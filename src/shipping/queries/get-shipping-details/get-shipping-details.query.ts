import type { CallContext } from '../../model/call-context';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { ShippingListQuery } from '../shipping-query';
import type { GetShippingDetailsParams } from './get-shipping-details.params';

/** Asks for a simple list of shippings. */
export class GetShippingDetailsQuery extends ShippingListQuery<ShippingLookupItem[]> {
  constructor(
    readonly params: GetShippingDetailsParams,
    readonly context: CallContext,
  ) {
    super();
  }

  emptyBody(): ShippingLookupItem[] {
    return [];
  }
}
