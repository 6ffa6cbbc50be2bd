// This file has to be loaded first: its handlers end the process with 0 while everything else is loaded and started.
import { stopExitingOnSignals } from './early-signals';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { AppModule } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { loadEnvFile, SETTINGS, SettingsError, type Settings } from './config/settings';

async function bootstrap(): Promise<void> {
  // Where many clients connect at the start, V8 would from then on allocate requests in its old generation: 1.3 times the time.
  setFlagsFromString('--no-allocation-site-pretenuring');
  loadEnvFile();
  // What Nest logs before its logger is set would be coloured text; where the start fails, the line below says all.
  const options = { bufferLogs: true, autoFlushLogs: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), options);
  await configureApp(app);
  app.flushLogs();
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
  stopExitingOnSignals();
}

bootstrap().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  // People read the text; where output is collected, a line among JSON lines has to be JSON, too.
  if (error instanceof SettingsError || process.stdout.isTTY) process.stderr.write(`${message}\n`);
  else pino().fatal({ err: error }, `The service could not start: ${message}`);
  process.exit(1);
});
