import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../config/settings';
import { QueryRules } from './query-rules';
import { generateRecords, type ShippingRecord } from './records';
import { SandboxController } from './sandbox.controller';

@Module({ controllers: [SandboxController] })
class SandboxModule {}

export interface RunningSandbox {
  readonly url: string;
  /** Closes the server at once; may be called more than once. */
  readonly stop: () => Promise<void>;
}

/** Starts the sandbox in this process; `records` may be how many are generated. */
export async function startSandbox(
  { port, records, variant }: { records: number | readonly ShippingRecord[] } & Omit<Settings['sandbox'], 'records'>,
  host = '127.0.0.1',
): Promise<RunningSandbox> {
  const all = typeof records === 'number' ? generateRecords(records) : records;
  const rules = new QueryRules(all, variant === 'extended');
  const module = { module: SandboxModule, providers: [{ provide: QueryRules, useValue: rules }] };
  // The default is 100 characters.
  const adapter = new FastifyAdapter({ forceCloseConnections: true, routerOptions: { maxParamLength: 1_000 } });
  // Lines that wait for the logger of the service must not be flushed.
  const options = { abortOnError: false, autoFlushLogs: false };
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, options);
  await app.listen(port, host);
  return { url: await app.getUrl(), stop: () => app.close() };
}
