import { type Logger, pino } from 'pino';
import { Registry } from 'prom-client';
import type { Composition } from './app.module';
import { createApp } from './app.setup';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SettingsError } from './config/settings';
import { readSettings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { drainOnSignals } from './shutdown';
import { countDroppedLines } from './observability/logging/create-logger';
import { LogDestination } from './observability/logging/log-destination';
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
  const destination = await LogDestination.ofProcess(settings.logFormat);
  const logger = pino({ level: settings.logLevel }, destination);
  for (const warning of settings.warnings) logger.warn(warning);
  tracing()?.reportTo(logger);
  const app = await createApp(settings, logger, composition);
  countDroppedLines(app.get(Registry), destination);
  drainOnSignals(app, logger);
  const { port, host } = settings;
  await app.listen({ port, host });
  app.get(Lifecycle).started();
  const { url, embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
  const address = await app.getUrl();
  const docs = settings.servesDocs ? `${address}/docs` : undefined;
  reportStart(logger, { address, docs, externalSystem: url.href, embeddedSandbox: embedded });
}

/** Where the service listens, and what it calls. Addresses are URLs. */
interface StartFacts {
  readonly address: string;
  /** `undefined`: no Swagger page is served. */
  readonly docs: string | undefined;
  readonly externalSystem: string;
  readonly embeddedSandbox: boolean;
}

/** Logs that the service listens. */
function reportStart(logger: Logger, facts: StartFacts): void {
  const { address, docs, externalSystem, embeddedSandbox } = facts;
  const sandbox = embeddedSandbox ? 'embedded sandbox ' : '';
  const docsText = docs === undefined ? '' : `, docs at ${docs}`;
  logger.info(facts, `Listening on ${address}${docsText}, external system ${sandbox}${externalSystem}`);
}
