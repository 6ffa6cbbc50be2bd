import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/response-bodies';
import { orEmpty } from '../shared/shipping-query';
import { GetShippingDetailsQuery, requestOf } from './get-shipping-details.query';

/** Lists shipments for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute(query: GetShippingDetailsQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    return orEmpty(query, () => this.gateway.list(requestOf(query.params), query.context));
  }
}
