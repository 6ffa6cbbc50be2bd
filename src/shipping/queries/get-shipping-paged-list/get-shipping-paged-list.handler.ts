import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { PagedShippingList } from '../../model/paged-shipping-list';
import type { QueryResult } from '../../model/query-result';
import { GetShippingPagedListQuery } from './get-shipping-paged-list.query';
import { pagedListRequest } from './get-shipping-paged-list.request';

/** Lists one page of shipments for data grids. */
@QueryHandler(GetShippingPagedListQuery)
export class GetShippingPagedListHandler implements IQueryHandler<GetShippingPagedListQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingPagedListQuery): Promise<QueryResult<PagedShippingList>> {
    return this.gateway.fetch(pagedListRequest(params), context);
  }
}
