import { Injectable } from '@nestjs/common';
import { tracing } from '../../telemetry/tracing';
import type { QueryType } from '../queries/shipping-query';
import type { Ask, QueryBehaviour } from './query-behaviour';

/** Gives every query a span of its own, where tracing was preloaded. */
@Injectable()
export class QuerySpans implements QueryBehaviour {
  around({ name }: QueryType, next: Ask): Ask {
    const traces = tracing();
    return traces === undefined ? next : (query) => traces.query(name, () => next(query));
  }
}
