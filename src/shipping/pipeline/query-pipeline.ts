import type { AsyncContext, Query, QueryBus } from '@nestjs/cqrs';
import { ShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import type { QueryBehaviour, QueryExecutor } from './query-behaviour';

type Execute = (query: Query<unknown>, asyncContext?: AsyncContext) => Promise<unknown>;

/** The behaviours around the queries of the service. */
export class QueryPipeline {
  private readonly surrounded = new WeakSet<QueryBus>();

  /** @param behaviours outermost first */
  constructor(private readonly behaviours: readonly QueryBehaviour[]) {}

  /** Puts the behaviours around `execute` of a query bus, once. Queries that are no {@link ShippingQuery} pass it by. */
  surround(bus: QueryBus): void {
    if (this.surrounded.has(bus)) return;
    this.surrounded.add(bus);
    const execute = bus.execute.bind<Execute>(bus);
    const executors = new Map<unknown, QueryExecutor>();
    const surrounded: Execute = (query, asyncContext) => {
      if (!(query instanceof ShippingQuery)) return execute(query, asyncContext);
      asyncContext?.attachTo(query);
      let executor = executors.get(query.constructor);
      if (executor === undefined) {
        executor = this.composed(query.constructor as QueryType, execute as unknown as QueryExecutor);
        executors.set(query.constructor, executor);
      }
      return executor(query);
    };
    bus.execute = surrounded;
  }

  private composed(type: QueryType, execute: QueryExecutor): QueryExecutor {
    return this.behaviours.reduceRight((next, behaviour) => behaviour.wrap(type, next), execute);
  }
}
