import {
  type DynamicModule,
  Global,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import {
  APP_FILTER,
  DiscoveryModule,
  DiscoveryService,
  HttpAdapterHost,
  ModuleRef,
  ModulesContainer,
} from '@nestjs/core';
import { Registry } from 'prom-client';
import { AccessModule } from './access/access.module';
import { Connections } from './common/connections';
import { readSettings, SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { ProblemFilter } from './http/problems/problem.filter';
import { RequestMetrics } from './http/requests/request.metrics';
import { LogDestination } from './observability/logging/log-destination';
import { createLogger, openLog, PINO } from './observability/logging/logger';
import { gauge, MetricsModule } from './observability/metrics/metrics.module';
import { RedisConnection } from './redis/redis-connection';
import { startSandbox } from './sandbox/start-sandbox';
import { SendsParameters, ShippingProtocol } from './shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
import { UPSTREAM_SYSTEM, type UpstreamSystem } from './shipping/gateway/upstream-system';
import { ShippingModule } from './shipping/shipping.module';

const MODULES = [DiscoveryModule, MetricsModule, HealthModule, AccessModule, ShippingModule];

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
const SHARED: Provider[] = [
  Connections,
  RequestMetrics,
  {
    provide: SETTINGS,
    inject: [OPTIONS],
    useFactory: ({ settings }: ProtocolOptions) => settings ?? readSettings(process.env),
  },
  { provide: LogDestination, inject: [SETTINGS, Registry], useFactory: openLog },
  { provide: PINO, inject: [SETTINGS, LogDestination], useFactory: createLogger },
  { provide: UPSTREAM_SYSTEM, inject: [SETTINGS, Connections], useFactory: locateUpstreamSystem },
  {
    provide: ShippingProtocol,
    inject: [UPSTREAM_SYSTEM, OPTIONS, ModuleRef],
    useFactory: ({ embedded }: UpstreamSystem, { protocol }: Options, moduleRef: ModuleRef) =>
      createProtocol(embedded ? StandardProtocol : protocol, moduleRef),
  },
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
    // This check comes first: with two services in one application, providers after it would fail with messages that do
    // not name the cause.
    { provide: 'once', inject: [ModulesContainer], useFactory: requireOneService },
    { provide: OPTIONS, useValue: { protocol: StandardProtocol } satisfies Options },
    ...SHARED,
    ProblemFilter,
    { provide: APP_FILTER, useExisting: ProblemFilter },
  ],
  exports: SHARED,
})
export class AppModule implements OnApplicationBootstrap, OnModuleInit {
  /**
   * Set by `configureApp`, and called when all routes are registered; `undefined` where `configureApp` was not called.
   */
  whenRouted: (() => void) | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly discovery: DiscoveryService,
    private readonly protocol: ShippingProtocol,
  ) {}

  /**
   * The service with another class that knows the wire format of the external system. With the embedded sandbox, the
   * service uses `StandardProtocol` nevertheless, because the sandbox has no other wire format.
   */
  static withProtocol(protocol: Type<ShippingProtocol>, options: ProtocolOptions = {}): DynamicModule {
    const { imports = [] } = options;
    const given = { provide: OPTIONS, useValue: { ...options, protocol } satisfies Options };
    // Nest adds modules that are given here before those of the decorator, and runs global guards in that order: a guard of an
    // application must not run before authentication.
    return { module: AppModule, imports: [...MODULES, ...imports], providers: [given] };
  }

  /**
   * @throws Error where the application has an HTTP server and `configureApp` was not called for it, or where a handler
   * sends a parameter that the protocol does not read
   */
  onModuleInit(): void {
    this.requireReadParameters();
    const hasHttp = Boolean(this.adapterHost.httpAdapter);
    if (hasHttp && this.whenRouted === undefined) throw new Error(HOW_TO_START);
  }

  /** Comes after `onModuleInit` of all modules, in which some add routes, such as `ServeStaticModule`. */
  onApplicationBootstrap(): void {
    this.whenRouted?.();
  }

  private requireReadParameters(): void {
    const { parameters = [], constructor } = this.protocol;
    if (parameters === 'all') return;
    for (const wrapper of this.discovery.getProviders({ metadataKey: SendsParameters.KEY })) {
      const sent = this.discovery.getMetadataByDecorator(SendsParameters, wrapper) ?? [];
      const ignored = sent.filter((name) => !parameters.includes(name)).join(', ');
      if (ignored === '') continue;
      throw new Error(
        `${wrapper.name} sends ${ignored}, which ${constructor.name} does not read: see its "parameters"`,
      );
    }
  }
}

/**
 * Creates the class that knows the wire format of the external system, by injection.
 *
 * @throws Error where a provider of it is missing. Nest's own message says that `AppModule` lacks it, which an
 * application would take for its own module of that name.
 */
async function createProtocol(protocol: Type<ShippingProtocol>, moduleRef: ModuleRef): Promise<ShippingProtocol> {
  try {
    return await moduleRef.create(protocol);
  } catch (error) {
    const { message } = error as Error;
    const [, fault] =
      /^(Nest can't resolve .+) in the (?:AppModule (?:module|context)|current context)\./.exec(message) ?? [];
    if (fault === undefined) throw error;
    const remedy = `AppModule.withProtocol(${protocol.name}, { imports: [the modules that export it] })`;
    throw new Error(`${fault} to the protocol: ${remedy}`, { cause: error });
  }
}

async function locateUpstreamSystem(
  { external, sandbox }: Settings,
  connections: Connections,
): Promise<UpstreamSystem> {
  if (external.baseUrl !== undefined) return { url: external.baseUrl, embedded: false };
  const app = await startSandbox(sandbox);
  // Where the start fails after this line, nothing closes the sandbox; `unref` lets the process end nevertheless (D27).
  app.getHttpServer().unref();
  connections.add(() => app.close());
  return { url: new URL(await app.getUrl()), embedded: true };
}

async function connectToRedis({ redisUrls }: Settings, registry: Registry): Promise<RedisConnection | undefined> {
  if (redisUrls === undefined) return undefined;
  const redis = new RedisConnection(await import('ioredis'), redisUrls);
  gauge(registry, 'shipping_redis_up', 'Whether Redis responds to this replica: 1 or 0', () => Number(redis.ready));
  return redis;
}

/** @throws Error where an application has the service twice: both would register the same paths and metrics */
function requireOneService(modules: ModulesContainer): void {
  if ([...modules.values()].filter(({ metatype }) => metatype === AppModule).length === 1) return;
  throw new Error(
    'AppModule of shipping-query-service is imported twice: import either AppModule or AppModule.withProtocol(…), in one module',
  );
}
