import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './config/external-system';
import { SETTINGS, type Settings } from './config/settings';
import { HealthModule } from './health/health.module';
import { ProblemFilter } from './http/problem.filter';
import { MetricsModule } from './metrics/metrics.module';
import { startEmbeddedSandbox } from './sandbox/embedded-sandbox';
import { ShippingModule } from './shipping/shipping.module';

/** The whole service. */
@Global()
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(@Inject(EXTERNAL_SYSTEM) private readonly externalSystem: ExternalSystem) {}

  static register(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [MetricsModule, HealthModule, ShippingModule],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: EXTERNAL_SYSTEM, useFactory: () => locateExternalSystem(settings) },
        { provide: APP_FILTER, useClass: ProblemFilter },
      ],
      exports: [SETTINGS, EXTERNAL_SYSTEM],
    };
  }

  /** Last of all, when no call can need it any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.externalSystem.stop();
  }
}

/** The configured external system, or a sandbox of the service's own. */
async function locateExternalSystem({ external, sandbox }: Settings): Promise<ExternalSystem> {
  if (external.baseUrl !== undefined) {
    return { url: external.baseUrl, embedded: false, stop: () => Promise.resolve() };
  }
  const started = await startEmbeddedSandbox(sandbox);
  return { url: new URL(started.url), embedded: true, stop: () => started.stop() };
}
