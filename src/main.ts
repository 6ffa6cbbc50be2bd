import { pino } from 'pino';
import { createApp } from './app.setup';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SettingsError } from './config/environment-reader';
import { readSettings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { QueryHandlersError } from './shipping/pipeline/query-handlers';
import { drainOnSignals } from './shutdown';
import { tracing } from './telemetry/tracing';

/** Lines are written in blocks, none later than 100 ms; what is left is written as the process exits. */
const LOG_OUTPUT = { dest: 1, sync: true, minLength: 2048, periodicFlush: 100 };

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const output = pino.destination(LOG_OUTPUT);
  // pino itself does so only where it writes asynchronously.
  process.once('exit', () => {
    output.flushSync();
  });
  const logger = pino({ level: settings.logLevel }, output);
  tracing()?.reportTo(logger);
  const app = await createApp(settings, logger);
  drainOnSignals(app, logger);
  await app.listen(settings.port, settings.host);
  app.get(Lifecycle).started();
  const { url, embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
  const address = await app.getUrl();
  logger.info(
    { address, docs: `${address}/docs`, externalSystem: url.href, embeddedSandbox: embedded },
    `Listening on ${address}, docs at ${address}/docs, external system ${embedded ? 'embedded sandbox ' : ''}${url.href}`,
  );
}

main().catch((error: unknown) => {
  const saysAll = error instanceof SettingsError || error instanceof QueryHandlersError;
  const message = saysAll || !(error instanceof Error) ? String(error) : (error.stack ?? '');
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
