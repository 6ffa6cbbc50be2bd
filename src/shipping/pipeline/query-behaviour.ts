import type { Answer } from '../model/completeness';
import type { AnyShippingQuery, QueryType } from '../queries/shipping-query';

/** Asks a query of one type: what is left of the pipeline, the bus and the handler at its end. */
export type Ask = (query: AnyShippingQuery) => Promise<Answer<unknown>>;

/** Something that happens around every query: before its handler, after it, or instead of it. */
export interface QueryBehaviour {
  /**
   * Puts itself around what comes after it. Called once per type of query, at start, so that whatever can be decided by
   * type costs nothing later; a type that the behaviour has no business with gets `next` back as it is.
   *
   * `next` never throws at once: it returns a promise that rejects.
   */
  around(type: QueryType, next: Ask): Ask;
}
