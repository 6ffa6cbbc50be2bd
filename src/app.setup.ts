import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AccessPolicy } from './access/access-policy';
import { Guard } from './access/guard';
import { AppModule } from './app.module';
import type { Settings } from './config/settings';
import { setUpDocs } from './docs/docs.setup';
import { Lifecycle } from './health/lifecycle';
import { compressAnswers } from './http/compression';
import { allowOrigins } from './http/cors';
import { tagCompleteAnswers } from './http/conditional-requests';
import { closeConnectionsWhile, createFastifyAdapter } from './http/fastify-adapter';
import { answerHeadAsGet } from './http/head-requests';
import { separateManagement } from './http/management';
import { PinoLoggerService } from './http/pino-logger.service';
import { describe, logRequest, observeRequests, type AnsweredRequest } from './http/request-log';
import { traceUnroutable } from './http/request-spans';
import { shedLoad } from './http/overload';
import { tellTiming } from './http/server-timing';
import { RateLimiter } from './limits/rate-limiter';
import { Metrics } from './metrics/metrics';

/** Added to the longest that an answer may take: after that, nothing moving means nobody is there. */
const STALLED_CONNECTION_MS = 30_000;

/** Builds the application, ready to listen; the process and the tests run the same one. */
export async function createApp(settings: Settings, logger: Logger): Promise<NestFastifyApplication> {
  const guard = await createGuard(settings, logger);
  let answered: (request: AnsweredRequest) => void = () => undefined;
  const adapter = createFastifyAdapter({
    onUnroutable: (request, reply) => {
      traceUnroutable(request, reply);
      answered(describe(request, reply));
    },
    allowedOrigins: settings.corsOrigins,
    stalledAfterMs: settings.external.timeoutMs + STALLED_CONNECTION_MS,
    trustedProxies: settings.trustedProxies,
    admits: guard && ((request, reply) => guard.admits(request, reply)),
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(settings), adapter, {
    logger: new PinoLoggerService(logger),
    abortOnError: false,
  });
  const metrics = app.get(Metrics);
  answered = (request) => {
    metrics.requestAnswered(request);
    logRequest(logger, request, settings.logSampleRate);
  };
  metrics.showActiveRequests(observeRequests(adapter.getInstance<FastifyInstance>(), answered));
  if (settings.management !== undefined) separateManagement(adapter.getInstance(), settings.management, logger);
  await configureApp(app, settings);
  guard?.register(adapter.getInstance(), (failure) => {
    metrics.guardFailed(failure);
  });
  return app;
}

/** `undefined` where everybody may call as often as they like. */
async function createGuard(settings: Settings, logger: Logger): Promise<Guard | undefined> {
  const policy = await AccessPolicy.create(settings.access, logger);
  const limiter = await RateLimiter.create(settings, logger);
  if (policy === undefined && limiter === undefined) return undefined;
  return new Guard({ policy, limiter, answersPreflights: settings.corsOrigins.length > 0 });
}

async function configureApp(app: NestFastifyApplication, settings: Settings): Promise<void> {
  const lifecycle = app.get(Lifecycle);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  closeConnectionsWhile(fastify, () => lifecycle.state === 'draining');
  tagCompleteAnswers(fastify);
  await compressAnswers(fastify);
  answerHeadAsGet(fastify);
  if (settings.serverTiming) tellTiming(fastify);
  shedLoad(fastify);
  allowOrigins(app, settings.corsOrigins);
  setUpDocs(app);
}
