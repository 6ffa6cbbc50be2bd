import { Injectable, Logger } from '@nestjs/common';
import { withoutMessage } from '../../http/error-description';
import { CallerLeft } from '../gateway/policy/caller-left';
import type { Answer, IncompletenessReason } from '../model/completeness';
import { ExternalSystemFailure } from '../model/external-system-failure';
import { ShippingListQuery, type AnyShippingQuery, type QueryType } from '../queries/shipping-query';
import type { Ask, QueryBehaviour } from './query-behaviour';

/**
 * Answers a list query with its empty body where anything fails: the body the specification wants, and the reason
 * beside it. Strict callers and those who left get the failure itself. Other queries pass by.
 */
@Injectable()
export class ListFallback implements QueryBehaviour {
  private readonly logger = new Logger(ListFallback.name);

  around(type: QueryType, next: Ask): Ask {
    if (!(type.prototype instanceof ShippingListQuery)) return next;
    return (query) =>
      next(query).catch((error: unknown) => {
        if (query.context.strict || error instanceof CallerLeft) throw error;
        return this.empty(query, error);
      });
  }

  private empty(query: AnyShippingQuery, error: unknown): Answer<unknown> {
    const body = (query as ShippingListQuery<unknown, unknown>).emptyBody();
    return { body, completeness: { level: 'unavailable', reason: this.reasonOf(error) } };
  }

  private reasonOf(error: unknown): IncompletenessReason {
    if (error instanceof ExternalSystemFailure) return error.reason;
    this.logger.error(`Unexpected error: ${withoutMessage(error)}`);
    return 'internal';
  }
}
