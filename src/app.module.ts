import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AccessModule } from './access/access.module';
import { isCaching } from './config/cache.settings';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { EventLoopLag } from './http/event-loop-lag';
import { ProblemFilter } from './http/problem.filter';
import { ParameterBinders } from './http/parameters/parameter-binders';
import { RequestMetrics } from './http/request.metrics';
import { MetricsModule } from './observability/metrics/metrics.module';
import { RedisConnection } from './redis/redis-connection';
import { startEmbeddedSandbox } from './sandbox/embedded-sandbox';
import { ShippingModule } from './shipping/shipping.module';

/** The whole service. */
@Global()
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(EXTERNAL_SYSTEM) private readonly externalSystem: ExternalSystem) {}

  /** @param imports modules of a team, besides those of the service */
  static register(settings: Settings, imports: DynamicModule['imports'] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [MetricsModule, HealthModule, AccessModule.register(settings), ShippingModule, ...imports],
      providers: [
        ParameterBinders,
        RequestMetrics,
        EventLoopLag,
        { provide: SETTINGS, useValue: settings },
        { provide: EXTERNAL_SYSTEM, useFactory: () => locateExternalSystem(settings) },
        { provide: RedisConnection, useFactory: () => openRedis(settings) },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
      exports: [SETTINGS, EXTERNAL_SYSTEM, RedisConnection],
    };
  }

  /** Runs after all other shutdown hooks, when no call needs the external system. */
  async onApplicationShutdown(): Promise<void> {
    await this.externalSystem.stop();
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
  const started = await startEmbeddedSandbox(sandbox);
  return { url: new URL(started.url), embedded: true, stop: () => started.stop() };
}
