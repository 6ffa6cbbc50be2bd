import type { DiscoveryService, ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper';
import { QueryBus, type AsyncContext, type IQueryHandler, type Query } from '@nestjs/cqrs';
import { ShippingQuery, type AnyShippingQuery, type QueryType } from '../queries/shared/shipping-query';
import type { QueryExecutor, QueryBehaviour } from './query-behaviour';
import { checkQueryHandlers } from './query-handlers';

/**
 * The query bus of Nest with the pipeline around it. It replaces `QueryBus` wherever that is injected, so that no query
 * bypasses the pipeline.
 */
export class ShippingQueryBus extends QueryBus {
  private readonly pipelines = new Map<unknown, QueryExecutor>();

  /** @param behaviours outermost first */
  constructor(
    moduleRef: ModuleRef,
    private readonly discovery: DiscoveryService,
    private readonly behaviours: readonly QueryBehaviour[],
  ) {
    super(moduleRef);
  }

  /**
   * Registers the handlers that Nest found at start, and composes the pipeline of each type of query.
   *
   * @throws {QueryHandlersError} where a query has no handler, or several
   */
  override register(handlers: InstanceWrapper<IQueryHandler>[] = []): void {
    const types = checkQueryHandlers(this.discovery, handlers);
    super.register(handlers);
    for (const type of types) {
      if (type.prototype instanceof ShippingQuery) this.pipelines.set(type, this.composed(type));
    }
  }

  /** Sends a query through its pipeline to its handler. */
  override execute<Result>(query: Query<Result>, asyncContext?: AsyncContext): Promise<Result> {
    asyncContext?.attachTo(query);
    const pipeline = this.pipelines.get(query.constructor);
    if (pipeline === undefined) return super.execute(query);
    return pipeline(query as unknown as AnyShippingQuery) as Promise<unknown> as Promise<Result>;
  }

  private composed(type: QueryType): QueryExecutor {
    const bus: QueryExecutor = (query) => super.execute(query);
    return this.behaviours.reduceRight((next, behaviour) => behaviour.wrap(type, next), bus);
  }
}
