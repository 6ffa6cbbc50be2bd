import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, OrderId, SearchTerm, Status, ToDate } from './parameters';

/** The filters that both lists have, in the specification's names. A record has to match all that are given. */
export class ListFilters {
  @SearchTerm() SearchTerm?: string;
  @OrderId() OrderId?: string;
  @Status() Status?: ShippingStatus;
  @FromDate() FromDate?: Date;
  @ToDate() ToDate?: Date;
}
