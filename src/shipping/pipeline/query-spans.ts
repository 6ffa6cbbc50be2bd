import { Injectable } from '@nestjs/common';
import { tracing } from '../../observability/tracing/tracing';
import type { QueryType } from '../queries/shared/shipping-query';
import { isClientError, outcomeOfError, type QueryBehaviour, type QueryExecutor } from './query-behaviour';

/** Runs every query in a span of its own where tracing is preloaded. Client errors, such as 404, are no failures. */
@Injectable()
export class QuerySpans implements QueryBehaviour {
  wrap({ name }: QueryType, next: QueryExecutor): QueryExecutor {
    const traces = tracing();
    if (traces === undefined) return next;
    return (query) =>
      traces.inSpan(
        name,
        'INTERNAL',
        { 'shipping.query': name },
        async (span) => {
          const result = await next(query);
          const reason = 'reason' in result.completeness ? result.completeness.reason : undefined;
          span.setAttributes({
            'shipping.completeness': result.completeness.level,
            'shipping.completeness.reason': reason,
          });
          return result;
        },
        (error) => (isClientError(error) ? undefined : outcomeOfError(error)),
      );
  }
}
