import type { QueryResult } from '../model/query-result';
import type { AnyShippingQuery, QueryType } from '../queries/shared/shipping-query';

/** Executes a query of one type: the rest of the pipeline, the bus and the handler. */
export type QueryExecutor = (query: AnyShippingQuery) => Promise<QueryResult<unknown>>;

/** A step around every query: before its handler, after it, or instead of it. */
export interface QueryBehaviour {
  /**
   * Wraps the rest of the pipeline. Called once per type of query and query bus, at the first query, so that decisions by
   * type cost nothing later. A behaviour that does not concern the type returns `next`.
   *
   * `next` never throws: it returns a promise that rejects.
   */
  wrap(type: QueryType, next: QueryExecutor): QueryExecutor;
}
