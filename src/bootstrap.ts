import { isatty } from 'node:tty';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Composition } from './app.module';
import { createApp } from './app.setup';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SettingsError } from './config/settings-error';
import { readSettings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { drainOnSignals } from './shutdown';
import { reportStart } from './start-report';
import { LogOutput } from './observability/logging/log-output';
import { countDroppedLines } from './observability/logging/log.metrics';
import { isPretty, prettyLine } from './observability/logging/pretty-line';
import { tracing } from './observability/tracing/tracing';

/** Starts the service from the environment of the process. Where that fails, the process exits with 1. */
export function bootstrap(composition?: Composition): void {
  start(composition).catch((error: unknown) => {
    const message = error instanceof SettingsError || !(error instanceof Error) ? String(error) : (error.stack ?? '');
    process.stderr.write(`${message}\n`);
    process.exit(1);
  });
}

async function start(composition: Composition | undefined): Promise<void> {
  const settings = readSettings(process.env);
  const pretty = isPretty(settings.logFormat, isatty(1));
  const showsStartup = ['debug', 'trace'].includes(settings.logLevel);
  const output = LogOutput.ofProcess(pretty ? (line) => prettyLine(line, showsStartup) : undefined);
  process.once('exit', () => {
    output.flushNow();
  });
  const logger = pino({ level: settings.logLevel }, output);
  tracing()?.reportTo(logger);
  const app = await createApp(settings, logger, composition);
  countDroppedLines(app.get(Registry), () => output.dropped);
  drainOnSignals(app, logger);
  const { port, host, reusePort } = settings;
  // The types of Fastify lack `reusePort`.
  const listening = { port, host, reusePort };
  await app.listen(listening);
  app.get(Lifecycle).started();
  const { url, embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
  const address = await app.getUrl();
  const docs = settings.servesDocs ? `${address}/docs` : undefined;
  reportStart(logger, { address, docs, externalSystem: url.href, embeddedSandbox: embedded }, pretty);
}
