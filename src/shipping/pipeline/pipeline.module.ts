import type { DynamicModule, Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ModuleRef } from '@nestjs/core';
import { CqrsModule, QueryBus } from '@nestjs/cqrs';
import { ListFallback } from './list-fallback';
import type { QueryBehaviour } from './query-behaviour';
import { QueryMetrics } from './query-metrics';
import { QuerySpans } from './query-spans';
import { ShippingQueryBus } from './shipping-query-bus';
import { SlowQueries } from './slow-queries';

/** The pipeline around every query, outermost first. */
const BEHAVIOURS: readonly Type<QueryBehaviour>[] = [QueryMetrics, QuerySpans, SlowQueries, ListFallback];

/** The CQRS module of Nest, with the pipeline around its query bus. */
export const PIPELINE_MODULE = pipelineModule(BEHAVIOURS);

/** The same with other behaviours, which are created by injection. */
export function pipelineModule(behaviours: readonly Type<QueryBehaviour>[]): DynamicModule {
  return {
    module: CqrsModule,
    imports: [DiscoveryModule],
    providers: [
      ...behaviours,
      {
        provide: QueryBus,
        inject: [ModuleRef, DiscoveryService, ...behaviours],
        useFactory: (moduleRef: ModuleRef, discovery: DiscoveryService, ...made: readonly QueryBehaviour[]) =>
          new ShippingQueryBus(moduleRef, discovery, made),
      },
    ],
  };
}
