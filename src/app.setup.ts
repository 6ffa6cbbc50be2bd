import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createDocument, TITLE } from './app.docs';
import { addHooks } from './app.hooks';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-system';
import { readSettings, SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { PROBLEMS } from './http/problems/problem-definitions';
import { RequestMetrics } from './http/requests/request.metrics';
import { createFastifyAdapter } from './http/server/fastify-adapter';
import { PINO, PinoLoggerService } from './observability/logging/logger';
import { tracing } from './observability/tracing/tracing';
import { serveProblemsPage } from './openapi/problems-page';
import { serveDocs } from './openapi/swagger-page';
import { EXTERNAL_SYSTEM_FAILED, SHIPPING_NOT_FOUND } from './shipping/model/shipping-exceptions';
import { drainOnSignals } from './shutdown';

/**
 * The HTTP server of the service, for `NestFactory.create` and `createNestApplication`.
 *
 * @throws {SettingsError} where the environment has faults; all are listed
 */
export function createAdapter(settings: Settings = readSettings(process.env)): FastifyAdapter {
  return createFastifyAdapter(settings);
}

/**
 * Adds what requests need besides modules: logger, hooks of Fastify, documentation, graceful shutdown.
 *
 * @param app with `AppModule` and the adapter of {@link createAdapter}, before `init` or `listen`
 * @returns the same application
 */
export async function configureApp(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  const settings = app.get<Settings>(SETTINGS);
  const logger = app.get<Logger>(PINO);
  const lifecycle = app.get(Lifecycle);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  app.useLogger(new PinoLoggerService(logger));
  for (const warning of settings.warnings) logger.warn(warning);
  tracing()?.reportTo(logger);
  await addHooks(fastify, {
    settings,
    logger,
    lifecycle,
    metrics: app.get(RequestMetrics),
  });
  fastify.addHook('onListen', async () => {
    lifecycle.started();
    reportStart(logger, await app.getUrl(), settings, app.get<ExternalSystem>(EXTERNAL_SYSTEM));
  });
  drainOnSignals(app, logger);
  if (settings.servesDocs) {
    serveDocs(app, TITLE, () => createDocument(app));
    serveProblemsPage(app, [...Object.values(PROBLEMS), SHIPPING_NOT_FOUND, EXTERNAL_SYSTEM_FAILED]);
  }
  return app;
}

/** Logs where the service listens, and what it calls. */
function reportStart(
  logger: Logger,
  address: string,
  { servesDocs }: Settings,
  { url, embedded }: ExternalSystem,
): void {
  const docs = servesDocs ? `${address}/docs` : undefined;
  const facts = { address, docs, externalSystem: url.href, embeddedSandbox: embedded };
  const docsText = docs === undefined ? '' : `, docs at ${docs}`;
  logger.info(
    facts,
    `Listening on ${address}${docsText}, external system ${embedded ? 'embedded sandbox ' : ''}${url.href}`,
  );
}
