import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../gateway/external-shipping.gateway';
import type { Answer } from '../../model/completeness';
import type { PagedShippingList } from '../../model/paged-shipping-list';
import { normaliseSorting } from '../../model/sorting';
import { GetShippingPagedListQuery } from './get-shipping-paged-list.query';

/** Shows one page of shippings for data grids. */
@QueryHandler(GetShippingPagedListQuery)
export class GetShippingPagedListHandler implements IQueryHandler<GetShippingPagedListQuery> {
  constructor(private readonly gateway: ExternalShippingGateway) {}

  execute({ params, context }: GetShippingPagedListQuery): Promise<Answer<PagedShippingList>> {
    const sorting = normaliseSorting(params.SortBy, params.SortDirection);
    return this.gateway.getShippingPagedList(params, sorting, context);
  }
}
