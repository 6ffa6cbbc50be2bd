import { Global, Inject, Module, Optional, type DynamicModule, type Type } from '@nestjs/common';
import type { NestModule, OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, DiscoveryModule, ModuleRef } from '@nestjs/core';
import { AccessModule } from './access/access.module';
import { UsageError } from './common/errors';
import { isCaching } from './config/settings';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { EventLoopLag } from './http/server/event-loop-lag';
import { ProblemFilter } from './http/problems/problem.filter';
import { RequestMetrics } from './http/requests/request.metrics';
import { MetricsModule } from './observability/metrics/metrics.module';
import { RedisConnection } from './redis/redis-connection';
import { startSandbox } from './sandbox/start-sandbox';
import { ShippingProtocol } from './shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from './shipping/gateway/protocol/standard-protocol';
import { ShippingModule } from './shipping/shipping.module';

/** What a team adds to the service without editing it. */
export interface Composition {
  /** Modules next to those of the service; their guards, interceptors and filters apply to every route. */
  readonly imports?: DynamicModule['imports'];
  /** The wire format of the external system; a class is created by injection. The embedded sandbox has its own. */
  readonly protocol?: Type<ShippingProtocol> | ShippingProtocol;
}

/** The whole service. */
@Global()
@Module({})
export class AppModule implements NestModule, OnApplicationShutdown {
  /** Whether the application has the hooks of Fastify that requests need. */
  hasHooks = false;

  /** @param externalSystem `undefined` where the module was imported without `register`, which {@link configure} refuses */
  constructor(@Optional() @Inject(EXTERNAL_SYSTEM) private readonly externalSystem?: ExternalSystem) {}

  static register(settings: Settings, { imports = [], protocol = StandardProtocol }: Composition = {}): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DiscoveryModule,
        MetricsModule,
        HealthModule,
        AccessModule.register(settings),
        ShippingModule,
        ...imports,
      ],
      providers: [
        RequestMetrics,
        EventLoopLag,
        { provide: SETTINGS, useValue: settings },
        { provide: EXTERNAL_SYSTEM, useFactory: () => locateExternalSystem(settings) },
        {
          provide: ShippingProtocol,
          inject: [EXTERNAL_SYSTEM, ModuleRef],
          useFactory: ({ embedded }: ExternalSystem, moduleRef: ModuleRef) => {
            const bound = embedded ? StandardProtocol : protocol;
            return typeof bound === 'function' ? moduleRef.create(bound) : bound;
          },
        },
        { provide: RedisConnection, useFactory: () => openRedis(settings) },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
      exports: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol, RedisConnection],
    };
  }

  /**
   * Runs before any route exists.
   *
   * @throws {UsageError} where the application was not created by `createApp`
   */
  configure(): void {
    if (this.hasHooks) return;
    throw new UsageError(
      'AppModule needs the HTTP server and the hooks of the service: create the application with createApp() of src/app.setup.ts, in tests with createTestingApp() of test/support/testing-app.ts',
    );
  }

  /** Runs after all other shutdown hooks, when no call needs the external system. */
  async onApplicationShutdown(): Promise<void> {
    await this.externalSystem?.stop();
  }
}

/** One connection for the cache and the rate limit; `undefined` where neither uses Redis. */
async function openRedis({ redisUrl, rateLimit, cache }: Settings): Promise<RedisConnection | undefined> {
  const isUsed = rateLimit !== undefined || isCaching(cache);
  return redisUrl !== undefined && isUsed ? RedisConnection.open(redisUrl) : undefined;
}

/** The configured external system, or the embedded sandbox. */
async function locateExternalSystem({ external, sandbox }: Settings): Promise<ExternalSystem> {
  if (external.baseUrl !== undefined) {
    return { url: external.baseUrl, embedded: false, stop: () => Promise.resolve() };
  }
  const { url, stop } = await startSandbox(sandbox);
  return { url: new URL(url), embedded: true, stop };
}
