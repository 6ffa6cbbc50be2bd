import { Injectable } from '@nestjs/common';
import { Metrics } from '../../metrics/metrics';
import type { QueryType } from '../queries/shipping-query';
import type { Ask, QueryBehaviour } from './query-behaviour';
import { outcomeOfAnswer, outcomeOfError } from './query-outcome';

/** Times every query, and counts it by its name and outcome. */
@Injectable()
export class QueryMetrics implements QueryBehaviour {
  constructor(private readonly metrics: Metrics) {}

  around({ name }: QueryType, next: Ask): Ask {
    return (query) => {
      const start = performance.now();
      return next(query).then(
        (answer) => {
          this.metrics.queryAnswered(name, outcomeOfAnswer(answer), performance.now() - start);
          return answer;
        },
        (error: unknown) => {
          this.metrics.queryAnswered(name, outcomeOfError(error), performance.now() - start);
          throw error;
        },
      );
    };
  }
}
