import { Query } from '@nestjs/cqrs';
import type { QueryContext } from '../../model/query-context';
import type { QueryResult } from '../../model/query-result';

/** A query: its parameters, and the context of its request. */
export abstract class ShippingQuery<Params, Body> extends Query<QueryResult<Body>> {
  constructor(
    readonly params: Params,
    readonly context: QueryContext,
  ) {
    super();
  }
}

/** A query that results in an empty list where the external system fails, unless the client is strict: `orEmpty`. */
export abstract class ShippingListQuery<Params, Body> extends ShippingQuery<Params, Body> {
  /** The body without records. */
  abstract emptyBody(): Body;
}
