import { Module, type DynamicModule, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { ListFallback } from './list-fallback';
import type { QueryBehaviour } from './query-behaviour';
import { QueryMetrics } from './query.metrics';
import { QueryPipeline } from './query-pipeline';

/** The pipeline around every query, outermost first. */
const BEHAVIOURS: readonly Type<QueryBehaviour>[] = [QueryMetrics, ListFallback];

/**
 * The CQRS module of Nest, with the pipeline around its query bus, and around every other query bus of the application:
 * `CqrsModule.forRoot()` makes a further one, which has the handlers of the service too.
 */
@Module({ imports: [CqrsModule], exports: [CqrsModule] })
export class PipelineModule implements OnModuleInit {
  /** @param behaviours created by injection, outermost first */
  static forRoot(behaviours = BEHAVIOURS): DynamicModule {
    const useFactory = (...created: QueryBehaviour[]): QueryPipeline => new QueryPipeline(created);
    return {
      module: PipelineModule,
      providers: [...behaviours, { provide: QueryPipeline, inject: [...behaviours], useFactory }],
    };
  }

  constructor(
    private readonly pipeline: QueryPipeline,
    private readonly moduleRef: ModuleRef,
    queryBus: QueryBus,
  ) {
    this.surround(queryBus);
  }

  /** Handlers are registered after this, so that no query goes round the pipeline before. */
  onModuleInit(): void {
    for (const queryBus of this.moduleRef.get(QueryBus, { strict: false, each: true })) this.surround(queryBus);
  }

  /** Mocks of a query bus stay as they are. */
  private surround(queryBus: QueryBus): void {
    if (queryBus instanceof QueryBus) this.pipeline.surround(queryBus);
  }
}
