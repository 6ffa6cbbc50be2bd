import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { orEmpty } from '../degrade';
import { GetShippingDetailsQuery } from './get-shipping-details.query';

/** Lists shippings for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute(query: GetShippingDetailsQuery): Promise<Answer<ShippingLookupItem[]>> {
    return orEmpty(query, () => this.gateway.getShippingDetails(query.params, query.context));
  }
}
