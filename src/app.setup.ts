import type { DynamicModule, InjectionToken } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createDocument } from './app.document';
import { addHooks } from './app.hooks';
import { AppModule } from './app.module';
import { MAX_TIMER_MS } from './config/setting-definition';
import type { Settings } from './config/settings';
import { Lifecycle } from './health/lifecycle';
import { ClientErrors } from './http/client-error';
import { createFastifyAdapter } from './http/fastify-adapter';
import { EventLoopLag } from './http/event-loop-lag';
import { EXPLAINED_PROBLEMS } from './http/problem-explanations';
import { ParameterBinders } from './http/parameters/parameter-binders';
import { RequestMetrics } from './http/request.metrics';
import { PinoLoggerService } from './observability/logging/pino-logger.service';
import { serveProblemPages } from './openapi/problem-pages';
import { serveDocs } from './openapi/swagger-page';
import { SHIPPING_DOCUMENTATION } from './shipping/documentation/shipping.documentation';
import { EXPLAINED_SHIPPING_PROBLEMS } from './shipping/model/shipping-problems';

/** Added to the longest response time: a connection that is idle for longer has no client. */
const IDLE_CONNECTION_MS = 30_000;

/** Replaces a provider, as in the testing module of Nest. */
export interface ProviderOverride {
  readonly provide: InjectionToken;
  readonly useValue: unknown;
}

/** What a team adds to the service without editing it. */
export interface Composition {
  /** Modules next to those of the service; their guards, interceptors and filters apply to every route. */
  readonly imports?: DynamicModule['imports'];
  readonly overrides?: readonly ProviderOverride[];
}

/** Creates the application, ready to listen. The process and the tests run the same one. */
export async function createApp(
  settings: Settings,
  logger: Logger,
  { imports, overrides = [] }: Composition = {},
): Promise<NestFastifyApplication> {
  const clientErrors = new ClientErrors();
  const adapter = createFastifyAdapter({
    connectionTimeoutMs: Math.min(MAX_TIMER_MS, settings.external.timeoutMs + IDLE_CONNECTION_MS),
    trustedProxies: settings.trustedProxies,
    maxActiveRequests: settings.maxActiveRequests,
    clientErrors,
  });
  const module = AppModule.register(settings, imports);
  const app =
    overrides.length === 0
      ? await NestFactory.create<NestFastifyApplication>(module, adapter, nestOptions(logger))
      : await createOverridden(module, overrides, adapter, logger);
  await addHooks(adapter.getInstance<FastifyInstance>(), {
    settings,
    logger,
    lifecycle: app.get(Lifecycle),
    metrics: app.get(RequestMetrics),
    parameterBinders: app.get(ParameterBinders),
    eventLoopLag: app.get(EventLoopLag),
    clientErrors,
  });
  if (settings.servesDocs) {
    serveDocs(app, () => createDocument(app));
    const problems = [...EXPLAINED_PROBLEMS, ...EXPLAINED_SHIPPING_PROBLEMS];
    serveProblemPages(app, problems, `${SHIPPING_DOCUMENTATION.prefix}/GetShippingDetails`);
  }
  return app;
}

function nestOptions(logger: Logger): { logger: PinoLoggerService; abortOnError: false } {
  return { logger: new PinoLoggerService(logger), abortOnError: false };
}

/** Nest replaces providers in its testing module only, which is loaded here where it is needed. */
async function createOverridden(
  module: DynamicModule,
  overrides: readonly ProviderOverride[],
  adapter: FastifyAdapter,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const { Test } = await import('@nestjs/testing');
  const builder = Test.createTestingModule({ imports: [module] }).setLogger(new PinoLoggerService(logger));
  for (const { provide, useValue } of overrides) builder.overrideProvider(provide).useValue(useValue);
  return (await builder.compile()).createNestApplication<NestFastifyApplication>(adapter, nestOptions(logger));
}
