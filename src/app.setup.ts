import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import type { Settings } from './config/settings';
import { setUpDocs } from './docs/docs.setup';
import { COMPLETENESS_HEADER } from './http/completeness-header';
import { createFastifyAdapter } from './http/fastify-adapter';
import { PinoLoggerService } from './http/pino-logger.service';
import { describe, logRequest, observeRequests, type AnsweredRequest } from './http/request-log';
import { Metrics } from './metrics/metrics';

/** Builds the application, ready to listen; the process and the tests run the same one. */
export async function createApp(settings: Settings, logger: Logger): Promise<NestFastifyApplication> {
  let answered: (request: AnsweredRequest) => void = () => undefined;
  const adapter = createFastifyAdapter((request, reply) => {
    answered(describe(request, reply, reply.statusCode));
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(settings), adapter, {
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  const metrics = app.get(Metrics);
  answered = (request) => {
    metrics.requestAnswered(request);
    logRequest(logger, request);
  };
  configureApp(app, settings, answered);
  return app;
}

function configureApp(
  app: NestFastifyApplication,
  settings: Settings,
  answered: (request: AnsweredRequest) => void,
): void {
  observeRequests(app.getHttpAdapter().getInstance() as unknown as FastifyInstance, answered);
  if (settings.corsOrigins.length > 0) {
    app.enableCors({
      origin: [...settings.corsOrigins],
      methods: ['GET', 'HEAD'],
      allowedHeaders: ['Accept', 'Prefer', 'X-Request-Id', 'traceparent', 'If-None-Match'],
      exposedHeaders: [COMPLETENESS_HEADER, 'X-Request-Id', 'Link', 'ETag', 'Retry-After', 'Preference-Applied'],
    });
  }
  setUpDocs(app);
}
