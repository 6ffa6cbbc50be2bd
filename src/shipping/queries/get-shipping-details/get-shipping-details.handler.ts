import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { GetShippingDetailsQuery } from './get-shipping-details.query';
import { detailsRequest } from './get-shipping-details.request';

/** Lists shipments for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingDetailsQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    return this.gateway.fetch(detailsRequest(params), context);
  }
}
