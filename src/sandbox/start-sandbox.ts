import { Module, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { namingSettings, type Settings } from '../config/settings';
import { ErrorsOnDemand } from './errors-on-demand';
import { QueryRules } from './query-rules';
import { generateRecords, type ShippingRecord } from './records';
import { SandboxController } from './sandbox.controller';

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
  await app.listen(port, host).catch(namingSettings('SANDBOX_PORT'));
  return app;
}
