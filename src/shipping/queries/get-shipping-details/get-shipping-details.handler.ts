import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { ShippingLookupItem } from '../../model/shipping-lookup-item';
import { GetShippingDetailsQuery } from './get-shipping-details.query';
import { detailsRequest } from './get-shipping-details.request';

/** The limit of the external system where a request has none. */
const DEFAULT_LIMIT = 100;

/** Lists shipments for lookups and dropdowns. */
@QueryHandler(GetShippingDetailsQuery)
export class GetShippingDetailsHandler implements IQueryHandler<GetShippingDetailsQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingDetailsQuery): Promise<QueryResult<ShippingLookupItem[]>> {
    const limit = params.Limit ?? DEFAULT_LIMIT;
    return this.gateway.fetch(detailsRequest(params), context).then((result) => limited(result, limit));
  }
}

/** Adds the limit to a complete list that may be cut off. An external system that ignores it may return more records. */
function limited(result: QueryResult<ShippingLookupItem[]>, limit: number): QueryResult<ShippingLookupItem[]> {
  const { body, completeness } = result;
  if (completeness.level !== 'complete' || body.length < limit) return result;
  return { ...result, completeness: { level: 'complete', limit } };
}
