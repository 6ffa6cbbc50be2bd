import { ProblemException } from '../../../http/problem';
import type { CallFacts, QueryResult } from '../../model/query-result';
import { SHIPPING_NOT_FOUND } from '../../model/shipping-problems';

/** No record matches a single lookup. */
export class ShippingNotFoundException extends ProblemException {
  /** @param facts of the call that found no record */
  constructor(readonly facts: CallFacts = {}) {
    super(SHIPPING_NOT_FOUND);
  }
}

/** @throws {ShippingNotFoundException} where the body is `undefined` */
export function foundOrThrow<Body>(result: QueryResult<Body | undefined>): QueryResult<Body> {
  if (result.body === undefined) throw new ShippingNotFoundException(result.facts);
  return result as QueryResult<Body>;
}
