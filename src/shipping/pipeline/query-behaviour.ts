import { HttpException } from '@nestjs/common';
import { outcomeOf, type CallOutcome } from '../../resilience/upstream-failure';
import type { CompletenessLevel, QueryResult } from '../model/query-result';
import { ShippingNotFoundException } from '../model/shipping-exceptions';
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

/** The outcome of a query as a label. */
export type QueryOutcome = CompletenessLevel | CallOutcome | 'not-found' | 'refused';

export function outcomeOfResult({ completeness }: QueryResult<unknown>): QueryOutcome {
  return completeness.level;
}

export function outcomeOfError(error: unknown): QueryOutcome {
  if (error instanceof ShippingNotFoundException) return 'not-found';
  return isClientError(error) ? 'refused' : outcomeOf(error);
}

/** Whether a handler or a behaviour refuses the query with a 4xx. */
export function isClientError(error: unknown): boolean {
  return error instanceof HttpException && error.getStatus() < 500;
}
