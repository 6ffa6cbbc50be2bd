import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { DEFAULT_LIMIT } from '../../model/parameter-bounds';
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
      return withLimit(result, limitOf(query.params) ?? DEFAULT_LIMIT);
    });
  }
}

/** A complete list of as many records may be cut off. */
function withLimit(result: QueryResult<ShippingLookupItem[]>, limit: number): QueryResult<ShippingLookupItem[]> {
  const { body, completeness } = result;
  if (completeness.level !== 'complete' || body.length !== limit) return result;
  return { ...result, completeness: { level: 'complete', limit } };
}
