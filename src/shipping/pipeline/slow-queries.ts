import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../config/settings';
import type { AnyShippingQuery, QueryType } from '../queries/shipping-query';
import type { Ask, QueryBehaviour } from './query-behaviour';

/** Tells the log of every query that took `SLOW_QUERY_MS` or longer, by name and request id; 0 switches it off. */
@Injectable()
export class SlowQueries implements QueryBehaviour {
  private readonly logger = new Logger(SlowQueries.name);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  around({ name }: QueryType, next: Ask): Ask {
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
    this.logger.warn(`${name} took ${Math.round(durationMs)} ms (request ${context.requestId})`);
  }
}
