import { equalsIgnoringCase } from '../../../common/text';
import type { UpstreamOperation, UpstreamRequest } from '../../gateway/protocol/shipping-protocol';
import { DEFAULT_SORTING, PAGE_NUMBER, PAGE_SIZE, SORT_KEYS, type Sorting } from '../../model/parameter-rules';
import { PagedShippingList } from '../../model/response-bodies';
import { PageNumber, PageSize, SortBy, SortDirection } from '../shared/parameters';
import { ConvertedByOptions, ListFilters, ShippingListQuery } from '../shared/shipping-query';

/** Parameters of `GetShippingPagedList`. */
@ConvertedByOptions()
export class GetShippingPagedListParams extends ListFilters {
  @PageNumber() PageNumber: number = PAGE_NUMBER.default;
  @PageSize() PageSize: number = PAGE_SIZE.default;
  @SortBy() SortBy?: string;
  @SortDirection() SortDirection?: string;
}

/** Lists one page of shipments. */
export class GetShippingPagedListQuery extends ShippingListQuery<GetShippingPagedListParams, PagedShippingList> {
  emptyBody(): PagedShippingList {
    const { PageNumber: pageNumber, PageSize: pageSize } = this.params;
    const paging = { totalCount: 0, pageNumber, pageSize, totalPages: 0, hasPreviousPage: false, hasNextPage: false };
    return { items: [], ...paging };
  }
}

const OPERATION: UpstreamOperation = { name: 'paged', path: ({ paged }) => paged };

export function requestOf(params: GetShippingPagedListParams): UpstreamRequest {
  return { operation: OPERATION, parameters: { ...params, ...sortingOf(params) } };
}

/** Normalises the sorting before it is sent to the external system (D8): keys and directions match ignoring case. */
function sortingOf({ SortBy = 'CreatedDate', SortDirection = 'desc' }: GetShippingPagedListParams): Sorting {
  const key = SORT_KEYS.find((name) => equalsIgnoringCase(name, SortBy));
  if (key === undefined) return DEFAULT_SORTING;
  return { SortBy: key, SortDirection: equalsIgnoringCase('asc', SortDirection) ? 'asc' : 'desc' };
}
