import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createDocument, TITLE } from './app.docs';
import { addHooks } from './app.hooks';
import { AppModule, type Composition } from './app.module';
import { SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { createFastifyAdapter } from './http/server/fastify-adapter';
import { EventLoopLag } from './http/server/event-loop-lag';
import { PROBLEMS } from './http/problems/problem-definitions';
import { RequestMetrics } from './http/requests/request.metrics';
import { PinoLoggerService } from './observability/logging/pino-logger.service';
import { serveProblemsPage } from './openapi/problems-page';
import { serveDocs } from './openapi/swagger-page';
import { EXTERNAL_SYSTEM_FAILED, SHIPPING_NOT_FOUND } from './shipping/model/shipping-exceptions';

/** Creates the application, ready to listen. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  composition?: Composition,
): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register(settings, composition),
    createFastifyAdapter(settings),
    { logger: new PinoLoggerService(logger), abortOnError: false },
  );
  return configureApp(app, logger);
}

/**
 * Adds what requests need besides modules: the hooks of Fastify, and the Swagger page. The process and the tests run the
 * same application.
 *
 * @param app with {@link AppModule} and {@link createFastifyAdapter}, before `init` or `listen`
 * @returns the same application
 */
export async function configureApp(app: NestFastifyApplication, logger: Logger): Promise<NestFastifyApplication> {
  const settings = app.get<Settings>(SETTINGS);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  await addHooks(fastify, {
    settings,
    logger,
    lifecycle: app.get(Lifecycle),
    metrics: app.get(RequestMetrics),
    eventLoopLag: app.get(EventLoopLag),
  });
  app.get(AppModule).hasHooks = true;
  if (settings.servesDocs) {
    serveDocs(app, TITLE, () => createDocument(app));
    serveProblemsPage(app, [...Object.values(PROBLEMS), SHIPPING_NOT_FOUND, EXTERNAL_SYSTEM_FAILED]);
  }
  return app;
}
