import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, Limit, OrderId, SearchTerm, Status, ToDate } from '../shared/parameters';

/** Filters of `GetShippingDetails`. */
export class GetShippingDetailsParams {
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

  @Limit()
  Limit?: number;
}
