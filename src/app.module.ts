import { type DynamicModule, Global, Module, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { APP_FILTER, ModuleRef } from '@nestjs/core';
import { Registry } from 'prom-client';
import { AccessModule } from './access/access.module';
import { readSettings, SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { EFFECTIVE_VALUES, type EffectiveValues } from './http/parameters/query-parameters.pipe';
import { ProblemFilter } from './http/problems/problem.filter';
import { RequestMetrics } from './http/requests/request-log';
import { LogDestination } from './observability/logging/log-destination';
import { openLog } from './observability/logging/logger';
import { gauge, MetricsModule } from './observability/metrics/metrics.module';
import { RedisConnection } from './redis/redis-connection';
import { startSandbox } from './sandbox/start-sandbox';
import { ShippingProtocol } from './shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
import { Connections } from './shipping/gateway/transport/connection-pools';
import { UpstreamSystem } from './shipping/gateway/transport/undici-http.service';
import { ShippingModule } from './shipping/shipping.module';

const MODULES = [MetricsModule, HealthModule, AccessModule, ShippingModule];

/** What an application gives with its {@link ShippingProtocol}; all of it may be left out. */
export interface ProtocolOptions {
  /** Replace the settings of the environment, as for a test. */
  readonly settings?: Settings;
  /** Modules whose exported providers the protocol injects, such as `ConfigModule`. */
  readonly imports?: NonNullable<DynamicModule['imports']>;
}

/** What {@link AppModule.withProtocol} was given; the standard protocol alone where it was not called. */
const OPTIONS = Symbol('Options');
type Options = ProtocolOptions & { readonly protocol: Type<ShippingProtocol> };

/** Providers that `AppModule`, a global module, exports to all other modules. */
const SHARED = [
  Connections,
  RequestMetrics,
  { provide: SETTINGS, inject: [OPTIONS], useFactory: ({ settings = readSettings(process.env) }: Options) => settings },
  { provide: LogDestination, inject: [SETTINGS, Registry], useFactory: openLog },
  { provide: UpstreamSystem, inject: [SETTINGS, Connections], useFactory: findUpstreamSystem },
  { provide: ShippingProtocol, inject: [UpstreamSystem, OPTIONS, ModuleRef], useFactory: createProtocol },
  { provide: EFFECTIVE_VALUES, inject: [ShippingProtocol], useFactory: sortingOf },
  { provide: RedisConnection, inject: [SETTINGS, Registry], useFactory: connectToRedis },
];

/**
 * An application that starts without these calls fails with this message, because the service would run without its
 * hooks and bounds (D83).
 */
export const HOW_TO_START =
  'Start the service by NestFactory.create(AppModule, createAdapter()), then configureApp(app) before app.use, SwaggerModule.setup and app.listen: call it once';

/** The module of the whole service; {@link HOW_TO_START} says how an application starts it. */
@Global()
@Module({
  imports: MODULES,
  providers: [
    { provide: OPTIONS, useValue: { protocol: StandardProtocol } satisfies Options },
    ...SHARED,
    ProblemFilter,
    { provide: APP_FILTER, useExisting: ProblemFilter },
  ],
  exports: SHARED,
})
export class AppModule implements OnApplicationBootstrap {
  /**
   * Set by `configureApp`, and called when all routes are registered; `undefined` where `configureApp` was not called.
   */
  whenRouted: (() => void) | undefined;

  /**
   * The service with another class that knows the wire format of the external system. With the embedded sandbox, the
   * service uses `StandardProtocol` nevertheless, because the sandbox has no other wire format.
   */
  static withProtocol(protocol: Type<ShippingProtocol>, options: ProtocolOptions = {}): DynamicModule {
    const { imports = [] } = options;
    const given = { provide: OPTIONS, useValue: { ...options, protocol } satisfies Options };
    // Nest adds modules that are given here before those of the decorator, and runs global guards in that order: a
    // guard of an application must not run before authentication.
    return { module: AppModule, imports: [...MODULES, ...imports], providers: [given] };
  }

  /**
   * Nest calls it, as a `NestModule`, where there is an HTTP server, and before anything is connected.
   *
   * @throws Error where `configureApp` was not called
   */
  configure(): void {
    if (this.whenRouted === undefined) throw new Error(HOW_TO_START);
  }

  /** Comes after `onModuleInit` of all modules, in which some add routes, such as `ServeStaticModule`. */
  onApplicationBootstrap(): void {
    this.whenRouted?.();
  }
}

function createProtocol({ embedded }: UpstreamSystem, { protocol }: Options, moduleRef: ModuleRef) {
  return moduleRef.create(embedded ? StandardProtocol : protocol);
}

/** What of the sorting parameters the protocol can apply; the rest is named as ignored (D8, D83). */
function sortingOf({ parameters, sortKeys }: ShippingProtocol): EffectiveValues {
  const sorts = parameters === 'all' || parameters.includes('SortBy');
  if (!sorts) return { SortBy: [], SortDirection: [] };
  return sortKeys === undefined ? {} : { SortBy: sortKeys };
}

async function findUpstreamSystem({ external, sandbox }: Settings, connections: Connections): Promise<UpstreamSystem> {
  if (external.baseUrl !== undefined) return { url: external.baseUrl, embedded: false };
  const app = await startSandbox(sandbox);
  // Where the start fails after this line, nothing closes the sandbox; `unref` lets the process end nevertheless (D27).
  app.getHttpServer().unref();
  connections.closers.push(() => app.close());
  return { url: new URL(await app.getUrl()), embedded: true };
}

async function connectToRedis({ redisUrls }: Settings, registry: Registry): Promise<RedisConnection | undefined> {
  if (redisUrls === undefined) return undefined;
  const redis = new RedisConnection(await import('ioredis'), redisUrls);
  gauge(registry, 'shipping_redis_up', 'Whether Redis responds to this replica: 1 or 0', () => Number(redis.ready));
  return redis;
}
