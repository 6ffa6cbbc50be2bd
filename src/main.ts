// This import is first: the file adds handlers of signals, which end the process with 0 while all other files are loaded
// and started (D27).
import { stopExitingOnSignals } from './early-signals';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setFlagsFromString } from 'node:v8';
import { type Logger, pino } from 'pino';
import { AppModule } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { loadEnvFile, SETTINGS, SettingsError, type Settings } from './config/settings';
import { PINO } from './observability/logging/logger';
import { reportToServiceManager } from './service-manager';

async function bootstrap(): Promise<void> {
  // Where many clients connect right after the start, V8 learns that requests live long, and from then on allocates
  // them in its old generation. Requests then took 1.3 times as long in a measurement; the flag turns this learning
  // off.
  setFlagsFromString('--no-allocation-site-pretenuring');
  loadEnvFile();
  // Without the buffer, Nest would write coloured text before `configureApp` sets the logger. Where the start fails,
  // the buffered lines are dropped: the line at the end of this file says why it failed.
  const options = { bufferLogs: true, autoFlushLogs: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), options);
  await configureApp(app);
  app.flushLogs();
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host);
  stopExitingOnSignals();
  reportToServiceManager(app.get<Logger>(PINO));
}

bootstrap().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  // A person reads a list of wrong settings, and whatever a terminal shows, so that both are plain text. Otherwise a
  // collector reads the output, in which every line has to be a JSON object.
  if (error instanceof SettingsError || process.stdout.isTTY) process.stderr.write(`${message}\n`);
  else pino().fatal({ err: error }, `The service could not start: ${message}`);
  process.exit(1);
});
