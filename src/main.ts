// This import is first: the file adds handlers of signals, which end the process with 0 while all other files are loaded
// and started (D27).
import './early-signals';
import './config/node-version';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { configureApp, createAdapter } from './app.setup';
import { SETTINGS, type Settings, SettingsError, throwNaming } from './config/settings';
import { createLogger } from './observability/logging/logger';

async function bootstrap(): Promise<void> {
  // Without the buffer, Nest would write coloured text before `configureApp` sets the logger. Where the start fails,
  // the buffered lines are dropped: the line at the end of this file says why it failed.
  const options = { bufferLogs: true, autoFlushLogs: false, abortOnError: false };
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), options);
  await configureApp(app);
  app.flushLogs();
  const { port, host } = app.get<Settings>(SETTINGS);
  await app.listen(port, host).catch((error: unknown) => throwNaming('HOST or PORT', error));
}

bootstrap().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  // A person reads a list of wrong settings, and whatever a terminal shows, so that both are plain text. Otherwise a
  // collector reads the output, in which every line has to be a JSON object.
  const isForPerson = error instanceof SettingsError || process.stdout.isTTY;
  if (isForPerson) process.stderr.write(`${message}\n`);
  else createLogger({ logLevel: 'fatal' }).fatal({ err: error }, `The service could not start: ${message}`);
  process.exit(1);
});
