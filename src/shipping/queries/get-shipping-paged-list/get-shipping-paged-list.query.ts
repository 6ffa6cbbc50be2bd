import type { PagedShippingList } from '../../model/paged-shipping-list';
import { ShippingListQuery } from '../shared/shipping-query';
import type { GetShippingPagedListParams } from './get-shipping-paged-list.params';

/** Lists one page of shipments. */
export class GetShippingPagedListQuery extends ShippingListQuery<GetShippingPagedListParams, PagedShippingList> {
  emptyBody(): PagedShippingList {
    return {
      items: [],
      totalCount: 0,
      pageNumber: this.params.PageNumber,
      pageSize: this.params.PageSize,
      totalPages: 0,
      hasPreviousPage: false,
      hasNextPage: false,
    };
  }
}
