import { Global, Module, type DynamicModule, type OnModuleInit, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { Registry } from 'prom-client';
import { AccessModule } from './access/access.module';
import { Connections } from './common/connections';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './shipping/gateway/external-address';
import { readSettings, SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { ProblemFilter } from './http/problems/problem.filter';
import { RequestMetrics } from './http/requests/request.metrics';
import { LogDestination } from './observability/logging/log-destination';
import { createLogger, openLog, PINO } from './observability/logging/logger';
import { gauge } from './observability/metrics/instruments';
import { MetricsModule } from './observability/metrics/metrics.module';
import { FailureLog } from './observability/logging/failure-log';
import { RedisConnection } from './redis/redis-connection';
import { startSandbox } from './sandbox/start-sandbox';
import { ShippingProtocol } from './shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
import { ShippingModule } from './shipping/shipping.module';

/** Providers that `AppModule`, a global module, exports to all other modules. */
const SHARED: Provider[] = [
  Connections,
  RequestMetrics,
  { provide: SETTINGS, useFactory: () => readSettings(process.env) },
  { provide: LogDestination, inject: [SETTINGS, Registry], useFactory: openLog },
  { provide: PINO, inject: [SETTINGS, LogDestination], useFactory: createLogger },
  { provide: EXTERNAL_SYSTEM, inject: [SETTINGS, Connections], useFactory: locateExternalSystem },
  { provide: ShippingProtocol, useClass: StandardProtocol },
  { provide: RedisConnection, inject: [SETTINGS, Connections, Registry], useFactory: connectToRedis },
];

/**
 * An application that starts without these calls fails with this message, because the service would run without its
 * hooks and bounds (D83).
 */
export const HOW_TO_START =
  'Start the service by NestFactory.create(AppModule, createAdapter()), then configureApp(app) before app.listen: call it once';

/** The module of the whole service; {@link HOW_TO_START} says how an application starts it. */
@Global()
@Module({
  imports: [DiscoveryModule, MetricsModule, HealthModule, AccessModule, ShippingModule],
  providers: [
    // This check comes first: with two services in one application, providers after it would fail with messages that do
    // not name the cause.
    { provide: 'once', inject: [ModulesContainer], useFactory: requireOneService },
    ...SHARED,
    ProblemFilter,
    { provide: APP_FILTER, useExisting: ProblemFilter },
  ],
  exports: SHARED,
})
export class AppModule implements OnModuleInit {
  /**
   * Set by `configureApp`, and called when all routes are registered; `undefined` where `configureApp` was not called.
   */
  whenRouted: (() => void) | undefined;

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /**
   * The service with another class that knows the wire format of the external system. With the embedded sandbox, the
   * service uses `StandardProtocol` nevertheless, because the sandbox has no other wire format.
   *
   * @param settings replace those of the environment, for processes with several applications that differ in settings
   */
  static withProtocol(protocol: Type<ShippingProtocol>, settings?: Settings): DynamicModule {
    const bound = {
      provide: ShippingProtocol,
      inject: [EXTERNAL_SYSTEM, ModuleRef],
      useFactory: ({ embedded }: ExternalSystem, moduleRef: ModuleRef) =>
        moduleRef.create(embedded ? StandardProtocol : protocol),
    };
    const own = settings === undefined ? [] : [{ provide: SETTINGS, useValue: settings }];
    return { module: AppModule, providers: [bound, ...own] };
  }

  /** @throws Error where the application has an HTTP server and `configureApp` was not called for it */
  onModuleInit(): void {
    const hasHttp = Boolean(this.adapterHost.httpAdapter);
    if (hasHttp && this.whenRouted === undefined) throw new Error(HOW_TO_START);
    this.whenRouted?.();
  }
}

async function locateExternalSystem(
  { external, sandbox }: Settings,
  connections: Connections,
): Promise<ExternalSystem> {
  if (external.baseUrl !== undefined) return { url: external.baseUrl, embedded: false };
  const app = await startSandbox(sandbox);
  // Where the start fails after this line, nothing closes the sandbox; `unref` lets the process end nevertheless (D27).
  app.getHttpServer().unref();
  connections.add(() => app.close());
  return { url: new URL(await app.getUrl()), embedded: true };
}

async function connectToRedis(
  { redisUrls }: Settings,
  connections: Connections,
  registry: Registry,
): Promise<RedisConnection | undefined> {
  if (redisUrls === undefined) return undefined;
  const redis = new RedisConnection(await import('ioredis'), redisUrls, new FailureLog(RedisConnection.name));
  connections.add(redis.close.bind(redis));
  gauge(registry, 'shipping_redis_up', 'Whether Redis responds to this replica: 1 or 0', () => Number(redis.ready));
  return redis;
}

/** @throws Error where an application has the service twice: both would register the same paths and metrics */
function requireOneService(modules: ModulesContainer): void {
  if ([...modules.values()].filter(({ metatype }) => metatype === AppModule).length === 1) return;
  throw new Error('AppModule is imported twice: import either AppModule or AppModule.withProtocol(…), in one module');
}
