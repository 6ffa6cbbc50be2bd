import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, Limit, OrderId, SearchTerm, Status, ToDate } from '../parameters';

/** What `GetShippingDetails` may be narrowed by. */
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
