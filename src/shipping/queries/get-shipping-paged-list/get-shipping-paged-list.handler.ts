import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { QueryResult } from '../../model/query-result';
import type { PagedShippingList } from '../../model/response-bodies';
import { orEmpty } from '../shared/shipping-query';
import { GetShippingPagedListQuery, requestOf } from './get-shipping-paged-list.query';

/** Lists one page of shipments for data grids. */
@QueryHandler(GetShippingPagedListQuery)
export class GetShippingPagedListHandler implements IQueryHandler<GetShippingPagedListQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute(query: GetShippingPagedListQuery): Promise<QueryResult<PagedShippingList>> {
    return orEmpty(query, () => this.gateway.page(requestOf(query.params), query.context));
  }
}
