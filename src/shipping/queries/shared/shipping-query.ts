import { Query } from '@nestjs/cqrs';
import type { QueryContext } from '../../model/query-context';
import type { QueryResult } from '../../model/query-result';
import type { ShippingStatus } from '../../model/shipping-status';
import { FromDate, OrderId, SearchTerm, Status, ToDate } from './parameter-decorators';

/** A query: the parameters of a request, and its context. */
export abstract class ShippingQuery<Params, Body> extends Query<QueryResult<Body>> {
  constructor(
    readonly params: Params,
    readonly context: QueryContext,
  ) {
    super();
  }
}

/** A query for a list, which is empty where the external system fails; see `orEmpty`. */
export abstract class ShippingListQuery<Params, Body> extends ShippingQuery<Params, Body> {
  abstract emptyBody(): Body;
}

/** The filters that both lists have, in the specification's names. A record has to match all that are given. */
export class ListFilters {
  @SearchTerm() SearchTerm?: string;
  @OrderId() OrderId?: string;
  @Status() Status?: ShippingStatus;
  @FromDate() FromDate?: Date;
  @ToDate() ToDate?: Date;
}
