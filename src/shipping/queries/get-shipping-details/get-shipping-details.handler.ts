import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../model/parameter-bounds';
import type { QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/response-bodies';
import { detailsRequest, GetShippingDetailsQuery } from './get-shipping-details.query';

/** Lists shipments for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingDetailsQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    const Limit = params.Limit === undefined ? undefined : Math.min(params.Limit, MAX_LIMIT);
    return this.gateway
      .list(detailsRequest({ ...params, Limit }), context)
      .then((result) => limited(result, Limit ?? DEFAULT_LIMIT));
  }
}

/** Adds the limit to a complete list that may be cut off: it has exactly as many records, because the protocol keeps no more. */
function limited(result: QueryResult<ShippingLookupItem[]>, limit: number): QueryResult<ShippingLookupItem[]> {
  const { body, completeness } = result;
  if (completeness.level !== 'complete' || body.length !== limit) return result;
  return { ...result, completeness: { level: 'complete', limit } };
}
