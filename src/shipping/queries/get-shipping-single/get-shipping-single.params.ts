import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, OneOf, OptionalIdentifier, OrderId, Status, ToDate, TrackingNumber } from '../shared/parameters';

/** Criteria of `GetShippingSingle`; at least one of the first three identifies the record. */
export class GetShippingSingleParams {
  @OneOf('Id', 'OrderId', 'TrackingNumber')
  @OptionalIdentifier()
  Id?: string;

  @OrderId()
  OrderId?: string;

  @TrackingNumber()
  TrackingNumber?: string;

  @Status()
  Status?: ShippingStatus;

  @FromDate()
  FromDate?: Date;

  @ToDate()
  ToDate?: Date;
}
