import { isModel } from '../../gateway/protocol/model-check';
import type { Operation, UpstreamRequest } from '../../gateway/protocol/operation';
import { toPagedList } from '../../gateway/protocol/response-mapping';
import { PagedShippingList } from '../../model/paged-shipping-list';
import { normaliseSorting } from '../../model/sorting';
import type { GetShippingPagedListParams } from './get-shipping-paged-list.params';

const PAGED: Operation = { name: 'paged', path: ({ paged }) => paged, isBody: isModel(PagedShippingList) };

/** The upstream request of `GetShippingPagedList`. */
export function pagedListRequest(params: GetShippingPagedListParams): UpstreamRequest<PagedShippingList> {
  const { PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate } = params;
  const { SortBy, SortDirection } = normaliseSorting(params.SortBy, params.SortDirection);
  return {
    operation: PAGED,
    parameters: { PageNumber, PageSize, SearchTerm, OrderId, Status, FromDate, ToDate, SortBy, SortDirection },
    read: (body) => toPagedList(body, params),
  };
}
