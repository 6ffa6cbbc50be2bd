import { Inject, Injectable, Logger } from '@nestjs/common';
import { Histogram, Registry } from 'prom-client';
import { SETTINGS, type Settings } from '../../config/settings';
import { SECONDS_BUCKETS } from '../../observability/metrics/instruments';
import type { QueryType } from '../queries/shared/shipping-query';
import {
  outcomeOfError,
  outcomeOfResult,
  type QueryBehaviour,
  type QueryExecutor,
  type QueryOutcome,
} from './query-behaviour';

/**
 * Records the duration of every query by name and outcome. Logs one that took `SLOW_QUERY_MS` or longer, with name and
 * request id; 0 switches that off.
 */
@Injectable()
export class QueryMetrics implements QueryBehaviour {
  private readonly logger = new Logger(QueryMetrics.name);
  private readonly queries: Histogram<'query' | 'outcome'>;
  private readonly slowMs: number;

  constructor(registry: Registry, @Inject(SETTINGS) { slowQueryMs }: Pick<Settings, 'slowQueryMs'>) {
    this.slowMs = slowQueryMs === 0 ? Infinity : slowQueryMs;
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
        const durationMs = performance.now() - start;
        this.queries.observe({ query: name, outcome }, durationMs / 1000);
        if (durationMs < this.slowMs) return;
        this.logger.warn(`${name} took ${Math.round(durationMs)} ms (request ${query.context.requestId})`);
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
