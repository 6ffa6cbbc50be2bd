import { ProblemException } from '../../http/problems/problem-definitions';
import { type QueryResult, StoredResult } from './query-result';

export const SHIPPING_NOT_FOUND = {
  status: 404,
  code: 'shipping-not-found',
  detail: 'No shipping matches.',
  remedy: 'Check the criteria. The external system responded: trying again does not help.',
};

/** Thrown where no record matches a single lookup: 404 `shipping-not-found`. */
export class ShippingNotFoundException extends ProblemException {
  constructor() {
    super(SHIPPING_NOT_FOUND);
  }
}

/** @throws {ShippingNotFoundException} where no record matches, that is, where the body is `undefined` */
export function foundOrThrow<Body>(result: QueryResult<Body | undefined>): QueryResult<Body> {
  // Reading the body of a stored result would make a copy of it.
  const isFound = result instanceof StoredResult || result.body !== undefined;
  if (!isFound) throw new ShippingNotFoundException();
  return result as QueryResult<Body>;
}
