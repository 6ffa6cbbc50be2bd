import { Injectable, Logger } from '@nestjs/common';
import {
  outcomeOfError,
  outcomeOfResult,
  type QueryBehaviour,
  type QueryExecutor,
  type QueryOutcome,
} from '../../src/shipping/pipeline/query-behaviour';
import type { AnyShippingQuery, QueryType } from '../../src/shipping/queries/shared/shipping-query';

/** Logs the name, the request id and the outcome of each query, never its parameters. */
@Injectable()
export class QueryAudit implements QueryBehaviour {
  private readonly logger = new Logger(QueryAudit.name);

  wrap({ name }: QueryType, next: QueryExecutor): QueryExecutor {
    return async (query) => {
      try {
        const result = await next(query);
        this.write(name, query, outcomeOfResult(result));
        return result;
      } catch (error) {
        this.write(name, query, outcomeOfError(error));
        throw error;
      }
    };
  }

  private write(name: string, { context }: AnyShippingQuery, outcome: QueryOutcome): void {
    this.logger.log(`${name} ${context.requestId} ${outcome}`);
  }
}
