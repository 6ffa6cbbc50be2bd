import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../config/settings';
import { QueryRules } from './query-rules';
import { generateRecords } from './record-generator';
import type { ShippingRecord } from './records';
import { SandboxController } from './sandbox.controller';

@Module({ controllers: [SandboxController] })
class SandboxModule {}

export interface RunningSandbox {
  readonly url: string;
  /** Closes the server at once, open connections included; may be called more than once. */
  readonly stop: () => Promise<void>;
}

/** Starts the sandbox in this process; `records` are some, or how many are generated. Rejects where it cannot listen. */
export async function startSandbox(
  { port, records, variant }: { records: number | readonly ShippingRecord[] } & Omit<Settings['sandbox'], 'records'>,
  host = '127.0.0.1',
): Promise<RunningSandbox> {
  const all = typeof records === 'number' ? generateRecords(records) : records;
  const rules = new QueryRules(all, variant === 'extended');
  const module = { module: SandboxModule, providers: [{ provide: QueryRules, useValue: rules }] };
  // A long identifier is not found; by default the router refuses one of more than 100 characters.
  const adapter = new FastifyAdapter({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_000 } });
  // Logging belongs to the whole process: `logger` would replace that of the service, and its lines wait for its logger.
  const options = { abortOnError: false, autoFlushLogs: false };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  await app.listen(port, host);
  return { url: await app.getUrl(), stop: () => app.close() };
}
