import { Injectable, Logger } from '@nestjs/common';
import type { Ask, QueryBehaviour } from '../../src/shipping/pipeline/query-behaviour';
import { outcomeOfAnswer, outcomeOfError, type QueryOutcome } from '../../src/shipping/pipeline/query-outcome';
import type { AnyShippingQuery, QueryType } from '../../src/shipping/queries/shipping-query';

/** Notes which query was asked by which request, and how it ended; never what was asked for. */
@Injectable()
export class QueryAudit implements QueryBehaviour {
  private readonly log = new Logger(QueryAudit.name);

  around({ name }: QueryType, next: Ask): Ask {
    return async (query) => {
      try {
        const answer = await next(query);
        this.note(name, query, outcomeOfAnswer(answer));
        return answer;
      } catch (error) {
        this.note(name, query, outcomeOfError(error));
        throw error;
      }
    };
  }

  private note(name: string, { context }: AnyShippingQuery, outcome: QueryOutcome): void {
    this.log.log(`${name} ${context.requestId} ${outcome}`);
  }
}
