import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { GetShippingDetailsQuery } from './get-shipping-details.query';

/** Lists shippings for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingDetailsQuery): Promise<Answer<ShippingLookupItem[]>> {
    return this.gateway.getShippingDetails(params, context);
  }
}
