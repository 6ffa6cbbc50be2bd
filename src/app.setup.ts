import middie from '@fastify/middie';
import { Logger } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { FastifyAdapter as NestAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { RequestListener, Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import type { Logger as Pino } from 'pino';
import { AppModule, HOW_TO_START } from './app.module';
import { createDocument, TITLE } from './app.openapi';
import { allowManyLookups } from './common/name-lookup';
import { fixedPathOf } from './common/route-metadata';
import { exitOnSignals, stopExitingOnSignals } from './common/signals';
import { VERSION } from './common/version';
import { loadEnvFile, readSettings, SETTINGS, type Settings } from './config/settings';
import { Lifecycle } from './health/health.module';
import { ManagementPort } from './health/management-port';
import { ProblemFilter } from './http/problems/problem.filter';
import { beginRequests, dropUnreadBodies } from './http/requests/on-arrival';
import { refuseRequests, rejectOtherMethods, routableTarget } from './http/requests/refusals';
import { requestIdOf, trustedProxies } from './http/requests/request-headers';
import { observeRequests, RequestMetrics } from './http/requests/request-log';
import { decorateRequests } from './http/requests/request-record';
import { refuseOtherCompression } from './http/responses/compression';
import { addCors } from './http/responses/cors';
import { whenETagsWork } from './http/responses/etags';
import { completeResponses } from './http/responses/on-sending';
import { BoundedServer } from './http/server/bounded-server';
import { MAX_HEADER_BYTES } from './http/server/bounds';
import { LogDestination } from './observability/logging/log-destination';
import { createLogger, isPretty, PinoLoggerService } from './observability/logging/logger';
import { DOCS_PATH, markPages, redirectRoot, servePages } from './openapi/pages';
import { UpstreamSystem } from './shipping/gateway/transport/undici-http.service';
import { writeResultHeaders } from './shipping/http/result-headers';
import { drainOnSignals } from './shutdown';

/**
 * Creates the HTTP server of the service, for `NestFactory.create`. Without settings, the application is the only one
 * of its process: the variables of `.env` are added to those of the environment, except in production, and the process
 * is prepared for it.
 *
 * @param settings those of a test
 * @throws {SettingsError} for an invalid environment
 */
export function createAdapter(settings: Settings = prepareProcess()): NestAdapter {
  const adapter = new FastifyAdapter({
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      // Clients whose base URL ends with a slash request `//api/…` (D12).
      ignoreDuplicateSlashes: true,
      // The router answers 414 for path parameters over 100 characters by default. No path reaches this bound, so that
      // an identifier of any length gets the 400 of validation (D9).
      maxParamLength: MAX_HEADER_BYTES,
    },
    rewriteUrl: routableTarget,
    // Stops Nest from registering its plugin for middleware here: middleware would run before the hooks that reject
    // requests. `addHooks` registers the plugin (`middie`) after these hooks.
    skipMiddie: true,
    serverFactory: (listener: RequestListener): Server => new BoundedServer(listener, settings.maxActiveRequests),
    // `BoundedServer` itself responds to requests that Node cannot parse; Fastify's handler would write a second
    // response.
    clientErrorHandler: () => undefined,
    // While draining, Fastify would answer requests on open connections with 503; the service completes them (D27).
    return503OnClosing: false,
    genReqId: requestIdOf,
    trustProxy: trustedProxies(settings.trustedProxies),
  });
  if (settings.corsOrigins.length > 0) {
    adapter.enableCors = () => {
      throw new Error('CORS_ORIGINS is set: use either this setting or enableCors(), not both');
    };
  }
  return adapter;
}

/**
 * Nest's adapter, which serves probes and metrics at the path of their `@ManagementRoute`, below no prefix, because
 * orchestrators are configured with it. `ServeStaticModule` recognises Fastify by the name of this class alone.
 */
class FastifyAdapter extends NestAdapter {
  /** @throws Error before `configureApp`, which registers the plugin for middleware */
  override use(...args: unknown[]): unknown {
    this.requireHooks();
    return super.use(...args) as unknown;
  }

  /** @throws Error before `configureApp`: the route, such as that of a Swagger page, would not have its hooks (D83) */
  override get(...args: unknown[]): FastifyInstance {
    this.requireHooks();
    const [path, handler] = args;
    return super.get(fixedPathOf(handler) ?? path, handler);
  }

  private requireHooks(): void {
    // The plugin for middleware, which `addHooks` registers, adds `use`.
    if (!this.instance.hasDecorator('use')) throw new Error(HOW_TO_START);
  }
}

/** Prepares the process for an application: its environment, the flags of V8, signals and the log of its start. */
function prepareProcess(): Settings {
  exitOnSignals();
  allowManyLookups();
  // Where many clients connect right after the start, V8 learns that requests live long, and from then on allocates
  // them in its old generation. Requests then took 1.3 times as long in a measurement; the flag turns this learning
  // off.
  setFlagsFromString('--no-allocation-site-pretenuring');
  loadEnvFile();
  const settings = readSettings(process.env);
  // Nest writes coloured text until `configureApp` sets the logger. A collector reads JSON, also of a start that fails.
  if (!isPretty(settings)) Logger.overrideLogger(new PinoLoggerService(createLogger(settings)));
  return settings;
}

/**
 * Adds logger, Fastify hooks, documentation and graceful shutdown to the application. Call it before `init` or
 * `listen`.
 *
 * @returns the application
 * @throws Error where the adapter is not from {@link createAdapter}, or the application was configured before
 */
export async function configureApp(app: NestFastifyApplication): Promise<NestFastifyApplication> {
  if (!(app.getHttpServer() instanceof BoundedServer)) throw new Error(HOW_TO_START);
  const settings = app.get<Settings>(SETTINGS);
  const logger = createLogger(settings, app.get(LogDestination));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  app.useLogger(new PinoLoggerService(logger));
  for (const warning of settings.warnings) logger.warn(warning);
  const addLastRoutes = await addHooks(app, settings, logger);
  fastify.addHook('onListen', async () => {
    stopExitingOnSignals();
    app.get(Lifecycle).started();
    const address = await app.getUrl();
    const { url, embedded } = app.get(UpstreamSystem);
    const docs = settings.servesDocs ? `${address}${DOCS_PATH}` : undefined;
    logger.info({ version: VERSION, address, docs, externalSystem: url.href, embeddedSandbox: embedded }, 'Listening');
  });
  drainOnSignals(app, logger);
  const { servesDocs, publicBasePath } = settings;
  const document = servesDocs ? servePages(app, TITLE, publicBasePath, () => createDocument(app)) : undefined;
  app.get(AppModule).whenRouted = () => {
    document?.();
    // The last routes are added by a plugin, because it is loaded after those of the application, which may add routes,
    // too: a 405 route is added only for the methods that a path does not have by then.
    void fastify.register((_, __, done) => {
      if (servesDocs) redirectRoot(fastify);
      addLastRoutes();
      done();
    });
  };
  // Nest tries exception filters in the reverse order of their registration, and those of the root module last: behind
  // that of the service, which catches everything, those of an application that extends it would never run. Each is
  // registered once more, behind that of the service, in the same order.
  const own = app.get(ProblemFilter);
  const filters = app.get(ApplicationConfig).getGlobalFilters();
  app.useGlobalFilters(...filters.filter((filter) => filter !== own));
  return app;
}

/**
 * Adds all Fastify hooks before any route, because a route has only the hooks that are added before it. Hooks run in
 * the order of these lines, and the guards of Nest run after all `onRequest` hooks and before all `onSend` hooks.
 *
 * @returns a function to call when all routes are registered
 */
async function addHooks(app: NestFastifyApplication, settings: Settings, logger: Pino): Promise<() => void> {
  const metrics = app.get(RequestMetrics);
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();

  await whenETagsWork;
  // This adds no hook that runs before a request is routed: it sees routes as they are added.
  markPages(fastify);
  // Of the hooks that run when a request arrives, those for its id, log line, metrics and headers come first: responses
  // to requests that a later hook refuses need them, too, and the measured duration has to include the other hooks.
  decorateRequests(fastify, settings);
  const begin = beginRequests(fastify, settings);
  observeRequests(fastify, metrics, app.get(LogDestination), logger.levelVal);
  const server = fastify.server as BoundedServer;
  metrics.show(server);
  // CORS comes before the hook that refuses requests: without its headers, browsers hide the response from pages of
  // other origins.
  await addCors(fastify, settings);
  const management = app.get(ManagementPort);
  management.join(fastify, logger);
  refuseRequests(fastify, management.refusal, metrics, settings.maxActiveRequests);
  await fastify.register(middie);
  // Middleware of an application may read the body of a request that no route matches: it has to run before the next
  // hook, which drops such a body.
  dropUnreadBodies(fastify);
  refuseOtherCompression(fastify);
  const lifecycle = app.get(Lifecycle);
  completeResponses(fastify, { begin, writeResult: writeResultHeaders, metrics, lifecycle });
  return rejectOtherMethods(fastify);
}
