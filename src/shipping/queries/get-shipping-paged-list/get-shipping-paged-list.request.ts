import { isModel } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { PagedShippingList } from '../../model/paged-shipping-list';
import { normaliseSorting } from '../../model/sorting';
import type { GetShippingPagedListParams } from './get-shipping-paged-list.params';

const PAGED: Operation = { name: 'paged', path: ({ paged }) => paged, isBody: isModel(PagedShippingList) };

/** The upstream request of `GetShippingPagedList`. */
export function pagedListRequest(params: GetShippingPagedListParams): UpstreamRequest<'page'> {
  const { PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate } = params;
  const { SortBy, SortDirection } = normaliseSorting(params.SortBy, params.SortDirection);
  return {
    operation: PAGED,
    result: 'page',
    parameters: { PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate, SortBy, SortDirection },
  };
}
