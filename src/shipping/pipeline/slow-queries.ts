import { Inject, Injectable, Logger } from '@nestjs/common';
import { notify } from '../../common/safe-observer';
import { SETTINGS, type Settings } from '../../config/settings';
import type { AnyShippingQuery, QueryType } from '../queries/shared/shipping-query';
import type { QueryExecutor, QueryBehaviour } from './query-behaviour';

/** Logs every query that took `SLOW_QUERY_MS` or longer, with name and request id; 0 switches it off. */
@Injectable()
export class SlowQueries implements QueryBehaviour {
  private readonly logger = new Logger(SlowQueries.name);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  wrap({ name }: QueryType, next: QueryExecutor): QueryExecutor {
    const { slowQueryMs } = this.settings;
    if (slowQueryMs === 0) return next;
    return (query) => {
      const start = performance.now();
      return next(query).finally(() => {
        const durationMs = performance.now() - start;
        if (durationMs >= slowQueryMs) this.warn(name, query, durationMs);
      });
    };
  }

  private warn(name: string, { context }: AnyShippingQuery, durationMs: number): void {
    notify(() => {
      this.logger.warn(`${name} took ${Math.round(durationMs)} ms (request ${context.requestId})`);
    });
  }
}
