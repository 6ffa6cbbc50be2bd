import { PAGE_NUMBER, PAGE_SIZE } from '../../model/paging-rules';
import type { ShippingStatus } from '../../model/shipping-status';
import {
  FromDate,
  OrderId,
  PageNumber,
  PageSize,
  SearchTerm,
  SortBy,
  SortDirection,
  Status,
  ToDate,
} from '../shared/parameters';

/** Paging, filters and sorting of `GetShippingPagedList`. */
export class GetShippingPagedListParams {
  @PageNumber()
  PageNumber: number = PAGE_NUMBER.default;

  @PageSize()
  PageSize: number = PAGE_SIZE.default;

  @SearchTerm()
  SearchTerm?: string;

  @OrderId()
  OrderId?: string;

  @Status()
  Status?: ShippingStatus;

  @FromDate()
  FromDate?: Date;

  @ToDate()
  ToDate?: Date;

  @SortBy()
  SortBy?: string;

  @SortDirection()
  SortDirection?: string;
}
