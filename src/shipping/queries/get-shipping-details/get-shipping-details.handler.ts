import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { DEFAULT_LIMIT } from '../../model/parameter-rules';
import type { QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/response-bodies';
import { orEmpty } from '../shared/shipping-query';
import { limitOf, detailsRequest, GetShippingDetailsQuery } from './get-shipping-details.query';

/** Lists shipments for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute(query: GetShippingDetailsQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    return orEmpty(query, async () => {
      const result = await this.gateway.list(detailsRequest(query.params), query.context);
      const limit = limitOf(query.params) ?? DEFAULT_LIMIT;
      // A complete list of as many records may be cut off.
      const isAtLimit = result.completeness.level === 'complete' && result.body.length === limit;
      return isAtLimit ? { ...result, completeness: { level: 'complete', limit } } : result;
    });
  }
}
