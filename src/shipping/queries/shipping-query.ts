import { Query } from '@nestjs/cqrs';
import type { CallContext } from '../model/call-context';
import type { Answer } from '../model/completeness';

/** A question about shippings: its parameters, and what is known of its request. Its answer says how complete it is. */
export abstract class ShippingQuery<Params, Body> extends Query<Answer<Body>> {
  constructor(
    readonly params: Params,
    readonly context: CallContext,
  ) {
    super();
  }
}

/** A question whose answer is an empty list where the external system fails, unless the caller is strict. */
export abstract class ShippingListQuery<Params, Body> extends ShippingQuery<Params, Body> {
  /** The body to answer with when there is nothing to show. */
  abstract emptyBody(): Body;
}

/** Any query. */
export type AnyShippingQuery = ShippingQuery<unknown, unknown>;

/** The class of a query. */
export type QueryType = new (params: never, context: CallContext) => AnyShippingQuery;
