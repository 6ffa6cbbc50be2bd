import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../common/errors';
import { ClientDisconnectedError, UpstreamFailure } from '../../resilience/upstream-failure';
import type { QueryResult } from '../model/query-result';
import { ShippingListQuery, type AnyShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import { isClientError, type QueryBehaviour, type QueryExecutor } from './query-behaviour';

/**
 * Returns the empty body of a list query where anything fails, as the specification requires, with the reason. Strict
 * clients get the failure. Refusals, such as `ForbiddenException`, are no failures. Other queries are not concerned.
 */
@Injectable()
export class ListFallback implements QueryBehaviour {
  private readonly logger = new Logger(ListFallback.name);

  wrap(type: QueryType, next: QueryExecutor): QueryExecutor {
    if (!(type.prototype instanceof ShippingListQuery)) return next;
    return (query) =>
      next(query).catch((error: unknown) => {
        if (query.context.strict || error instanceof ClientDisconnectedError || isClientError(error)) throw error;
        return this.emptyResult(query, error);
      });
  }

  private emptyResult(query: AnyShippingQuery, error: unknown): QueryResult<unknown> {
    const body = (query as ShippingListQuery<unknown, unknown>).emptyBody();
    if (error instanceof UpstreamFailure) {
      const { reason, retryAfterMs } = error;
      return { body, completeness: { level: 'unavailable', reason, retryAfterMs } };
    }
    this.logger.error(`Unexpected error: ${describeError(error)}`);
    return { body, completeness: { level: 'unavailable', reason: 'internal' } };
  }
}
