import { PAGE_NUMBER, PAGE_SIZE } from '../../model/limits';
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
} from '../parameters';

/** Which page `GetShippingPagedList` shows, of which shippings, in which order. */
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
