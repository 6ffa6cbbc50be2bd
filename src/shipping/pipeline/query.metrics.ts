import { Injectable } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { SECONDS_BUCKETS } from '../../observability/metrics/instruments';
import type { QueryType } from '../queries/shared/shipping-query';
import {
  outcomeOfError,
  outcomeOfResult,
  type QueryBehaviour,
  type QueryExecutor,
  type QueryOutcome,
} from './query-behaviour';

/** Records the duration of every query by name and outcome. */
@Injectable()
export class QueryMetrics implements QueryBehaviour {
  private readonly queries: Histogram<'query' | 'outcome'>;

  constructor(registry: Registry) {
    this.queries = new Histogram({
      name: 'shipping_query_duration_seconds',
      help: 'Duration of queries, by name and outcome: the completeness of the result, or the reason of the failure',
      labelNames: ['query', 'outcome'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    });
  }

  wrap({ name }: QueryType, next: QueryExecutor): QueryExecutor {
    return (query) => {
      const start = performance.now();
      const end = (outcome: QueryOutcome): void => {
        this.queries.observe({ query: name, outcome }, (performance.now() - start) / 1000);
      };
      return next(query).then(
        (result) => {
          end(outcomeOfResult(result));
          return result;
        },
        (error: unknown) => {
          end(outcomeOfError(error));
          throw error;
        },
      );
    };
  }
}
