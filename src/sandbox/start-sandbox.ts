import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../config/settings';
import { QueryRules } from './query-rules';
import { generateRecords, type ShippingRecord } from './records';
import { SandboxController } from './sandbox.controller';

@Module({ controllers: [SandboxController] })
class SandboxModule {}

/**
 * Starts the sandbox in this process, on a port of its own.
 *
 * @param records the records themselves, or how many are generated
 * @param host the address to listen on; a loopback address by default, because the sandbox has no authentication
 */
export async function startSandbox(
  { port, records, variant }: { records: number | readonly ShippingRecord[] } & Omit<Settings['sandbox'], 'records'>,
  host = '127.0.0.1',
): Promise<NestFastifyApplication> {
  const all = typeof records === 'number' ? generateRecords(records) : records;
  const rules = new QueryRules(all, variant === 'extended');
  const module = { module: SandboxModule, providers: [{ provide: QueryRules, useValue: rules }] };
  // Identifiers may have 256 characters, encoded up to 768; the router of Fastify answers 414 beyond 100 by default.
  const adapter = new FastifyAdapter({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_000 } });
  // Flushing here would print the service's buffered lines before its own logger is set.
  const options = { abortOnError: false, autoFlushLogs: false };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  await app.listen(port, host);
  return app;
}
