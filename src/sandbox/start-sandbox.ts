import { Controller, Get, Module, NotFoundException, Param, Query, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Settings, throwNaming } from '../config/settings';
import { ErrorsOnDemand, simulatedRecords } from './errors-on-demand';
import { DetailsQuery, PageQuery, QueryRules, SingleQuery } from './query-rules';
import { generateRecords, type ShippingRecord } from './records';

@Controller('shippings')
class SandboxController {
  constructor(private readonly rules: QueryRules) {}

  @Get('single')
  single(@Query({ schema: SingleQuery }) query: SingleQuery): object {
    const [record] = simulatedRecords(query) ?? [this.rules.find(query)];
    if (record === undefined) throw new NotFoundException({ Error: 'No such shipment' });
    return record;
  }

  @Get('by-id/:id')
  byId(@Param('id') id: string): object {
    return this.single({ Id: id });
  }

  @Get('details')
  details(@Query({ schema: DetailsQuery }) query: DetailsQuery): object {
    const records = simulatedRecords(query) ?? this.rules.list(query).slice(0, query.Limit ?? this.rules.defaultLimit);
    return { ShippingDetails: records.map(toSummary) };
  }

  @Get('paged')
  paged(@Query({ schema: PageQuery }) query: PageQuery): object {
    const { PageNumber, PageSize } = query;
    const simulated = simulatedRecords(query);
    const matching = simulated ?? this.rules.list(query, query);
    const start = (PageNumber - 1) * PageSize;
    const Items = (simulated ?? matching.slice(start, start + PageSize)).map(toSummary);
    // Simulated records are on every page: with a smaller total, the pages would contradict themselves (D14).
    const TotalCount = simulated === undefined ? matching.length : start + simulated.length;
    const TotalPages = Math.ceil(TotalCount / PageSize);
    const flags = { HasPreviousPage: PageNumber > 1, HasNextPage: PageNumber < TotalPages };
    return { Items, TotalCount, PageNumber, PageSize, TotalPages, ...flags };
  }
}

/** Leaves out the items, which only single lookups send. */
function toSummary(record: object): object {
  return { ...record, ShippingItems: undefined };
}

@Module({ controllers: [SandboxController] })
class SandboxModule {}

/**
 * Starts the sandbox in this process, on a port of its own.
 *
 * @param records the records themselves, or the number of records to generate
 * @param host the address to listen on; a loopback address by default, because the sandbox has no authentication
 */
export async function startSandbox(
  { port, records, variant }: { records: number | readonly ShippingRecord[] } & Omit<Settings['sandbox'], 'records'>,
  host = '127.0.0.1',
): Promise<NestFastifyApplication> {
  const all = typeof records === 'number' ? generateRecords(records) : records;
  const rules = new QueryRules(all, variant === 'extended');
  const module = { module: SandboxModule, providers: [{ provide: QueryRules, useValue: rules }] };
  // By default, Fastify's router responds with 414 for path parameters over 100 characters. Identifiers may have 256, and
  // percent-encoding makes three characters of one.
  const adapter = new FastifyAdapter({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_000 } });
  // By default, `create` flushes the log lines that Nest buffers. In the service, it would print the service's lines
  // before the logger of the service is set.
  const options = { abortOnError: false, autoFlushLogs: false };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  app.useGlobalPipes(new StandardSchemaValidationPipe()).useGlobalInterceptors(new ErrorsOnDemand());
  await app.listen(port, host).catch((error: unknown) => throwNaming('SANDBOX_PORT', error));
  return app;
}
