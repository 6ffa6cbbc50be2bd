import { Query } from '@nestjs/cqrs';
import type { CallContext } from '../model/call-context';
import type { Answer } from '../model/completeness';

/** A question about shippings; its answer says how complete it is. */
export abstract class ShippingQuery<Body> extends Query<Answer<Body>> {
  abstract readonly context: CallContext;
}

/** A question whose answer is an empty list where the external system fails, unless the caller is strict. */
export abstract class ShippingListQuery<Body> extends ShippingQuery<Body> {
  /** The body to answer with when there is nothing to show. */
  abstract emptyBody(): Body;
}
