import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createDocument, TITLE } from './app.docs';
import { addHooks } from './app.hooks';
import { AppModule } from './app.module';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-system';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { DOCS_PATH } from './http/paths';
import { PROBLEMS } from './http/problems/problem-definitions';
import { PINO, PinoLoggerService } from './observability/logging/logger';
import { tracing } from './observability/tracing/tracing';
import { serveProblemsPage } from './openapi/problems-page';
import { serveDocs } from './openapi/swagger-page';
import { EXTERNAL_SYSTEM_FAILED, SHIPPING_NOT_FOUND } from './shipping/model/shipping-exceptions';
import { drainOnSignals } from './shutdown';

export { createAdapter } from './http/server/fastify-adapter';

/** Adds logger, Fastify hooks, documentation and graceful shutdown, before `init` or `listen`; returns the application. */
export async function configureApp(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  const settings = app.get<Settings>(SETTINGS);
  const logger = app.get<Logger>(PINO);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  app.useLogger(new PinoLoggerService(logger));
  for (const warning of settings.warnings) logger.warn(warning);
  tracing()?.reportTo(logger);
  await addHooks(app);
  fastify.addHook('onListen', async () => {
    app.get(Lifecycle).started();
    const address = await app.getUrl();
    const { url, embedded } = app.get<ExternalSystem>(EXTERNAL_SYSTEM);
    const docs = settings.servesDocs ? `${address}${DOCS_PATH}` : undefined;
    logger.info({ address, docs, externalSystem: url.href, embeddedSandbox: embedded }, 'Listening');
  });
  drainOnSignals(app, logger);
  if (settings.servesDocs) {
    serveDocs(app, TITLE, () => createDocument(app));
    serveProblemsPage(fastify, [...Object.values(PROBLEMS), SHIPPING_NOT_FOUND, EXTERNAL_SYSTEM_FAILED]);
  }
  app.get(AppModule).isConfigured = true;
  return app;
}
