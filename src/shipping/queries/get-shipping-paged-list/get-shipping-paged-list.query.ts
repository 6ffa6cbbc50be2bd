import type { PagedShippingList } from '../../model/paged-shipping-list';
import { ShippingListQuery } from '../shipping-query';
import type { GetShippingPagedListParams } from './get-shipping-paged-list.params';

/** Asks for one page of shippings. */
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
