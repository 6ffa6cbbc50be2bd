import { Inject, Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../common/errors';
import { SETTINGS, type Settings } from '../../config/settings';
import { ClientDisconnectedError } from '../../resilience/upstream-failure';
import type { QueryResult } from '../model/query-result';
import { ExternalSystemFailure } from '../model/shipping-exceptions';
import { ShippingListQuery, type AnyShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import { isClientError, type QueryBehaviour, type QueryExecutor } from './query-behaviour';

/**
 * Returns the empty body of a list query where anything fails, as the specification requires, with the reason. Strict
 * clients get the failure, and every client where `LIST_FAILURE` is `error`. Refusals, such as `ForbiddenException`, are
 * no failures. Other queries are not concerned.
 */
@Injectable()
export class ListFallback implements QueryBehaviour {
  private readonly logger = new Logger(ListFallback.name);

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'listFailure'>) {}

  wrap(type: QueryType, next: QueryExecutor): QueryExecutor {
    if (!(type.prototype instanceof ShippingListQuery)) return next;
    if (this.settings.listFailure === 'error') return (query) => next(query).catch(failEveryClient);
    return (query) =>
      next(query).catch((error: unknown) => {
        if (query.context.strict || error instanceof ClientDisconnectedError || isClientError(error)) throw error;
        return this.emptyResult(query, error);
      });
  }

  private emptyResult(query: AnyShippingQuery, error: unknown): QueryResult<unknown> {
    const body = (query as ShippingListQuery<unknown, unknown>).emptyBody();
    if (error instanceof ExternalSystemFailure) {
      const { reason, retryAfterMs, cache } = error;
      return { body, completeness: { level: 'unavailable', reason, retryAfterMs }, cache };
    }
    this.logger.error(`Unexpected error: ${describeError(error)}`);
    return { body, completeness: { level: 'unavailable', reason: 'internal' } };
  }
}

/** @throws the same error; a failure of the external system with the status that strict clients get */
function failEveryClient(error: unknown): never {
  throw error instanceof ExternalSystemFailure ? new ExternalSystemFailure(error, error.cache, true) : error;
}
