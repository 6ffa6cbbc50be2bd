import 'reflect-metadata';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CqrsModule, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { readSettings, SETTINGS } from '../../src/config/settings';
import { MetricsModule } from '../../src/observability/metrics/metrics.module';
import { COMPLETE } from '../../src/shipping/model/completeness';
import type { QueryResult } from '../../src/shipping/model/query-result';
import { ListFallback } from '../../src/shipping/pipeline/list-fallback';
import { PipelineModule } from '../../src/shipping/pipeline/pipeline.module';
import type { QueryBehaviour } from '../../src/shipping/pipeline/query-behaviour';
import { QueryMetrics } from '../../src/shipping/pipeline/query-metrics';
import { QuerySpans } from '../../src/shipping/pipeline/query-spans';
import { SlowQueries } from '../../src/shipping/pipeline/slow-queries';
import { ShippingListQuery } from '../../src/shipping/queries/shared/shipping-query';

/*
 * The cost of the pipeline: the bus of Nest next to that of the service, with the same handler, which returns at once. Each
 * value is the best of several rounds, taken in turns.
 */

const QUERIES = 200_000;
const ROUNDS = 7;
const CONTEXT = { requestId: 'bench', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`, strict: false };

class SampleQuery extends ShippingListQuery<object, unknown[]> {
  emptyBody(): unknown[] {
    return [];
  }
}

const RESULT: QueryResult<unknown[]> = { body: [], completeness: COMPLETE };

@QueryHandler(SampleQuery)
class SampleHandler {
  execute(): Promise<QueryResult<unknown[]>> {
    return Promise.resolve(RESULT);
  }
}

type Bus = Pick<QueryBus, 'execute'>;

async function busOf(cqrs: Type | DynamicModule): Promise<Bus> {
  const surroundings = { module: class Surroundings {}, global: true, exports: [SETTINGS] };
  const providers = [{ provide: SETTINGS, useValue: readSettings({}) }];
  @Module({ imports: [MetricsModule, { ...surroundings, providers }, cqrs], providers: [SampleHandler] })
  class BenchModule {}
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false });
  return app.get(QueryBus);
}

/** Microseconds per query. */
async function measure(bus: Bus): Promise<number> {
  const start = performance.now();
  for (let sent = 0; sent < QUERIES; sent++) await bus.execute(new SampleQuery({}, CONTEXT));
  return ((performance.now() - start) * 1000) / QUERIES;
}

async function main(): Promise<void> {
  const all: Type<QueryBehaviour>[] = [QueryMetrics, QuerySpans, SlowQueries, ListFallback];
  const buses: [title: string, bus: Bus][] = [
    ["the framework's bus", await busOf(CqrsModule)],
    ['no behaviour', await busOf(PipelineModule.forRoot([]))],
    ['metrics', await busOf(PipelineModule.forRoot([QueryMetrics]))],
    ['spans, not preloaded', await busOf(PipelineModule.forRoot([QuerySpans]))],
    ['slow queries', await busOf(PipelineModule.forRoot([SlowQueries]))],
    ['fallback of lists', await busOf(PipelineModule.forRoot([ListFallback]))],
    ['all four', await busOf(PipelineModule.forRoot(all))],
  ];
  const best = buses.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, [, bus]] of buses.entries()) best[index] = Math.min(best[index] ?? 0, await measure(bus));
  }
  const [plain = NaN] = best;
  const rows = buses.map(([title], index) => {
    const cost = best[index] ?? NaN;
    return `| ${title} | ${cost.toFixed(2)} | ${(cost - plain).toFixed(2)} | ${(cost / plain).toFixed(2)} |`;
  });
  const table = ['| pipeline | µs a query | more than without | ratio |', '|---|---|---|---|', ...rows];
  process.stdout.write(`${table.join('\n')}\n`);
}

void main();
