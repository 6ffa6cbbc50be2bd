import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { MetricsController } from './metrics.controller';
import { collectProcessMetrics } from './process.metrics';

/** The registry of the process. Each capability registers its own metrics in it. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [
    {
      provide: Registry,
      useFactory: () => {
        const registry = new Registry();
        collectProcessMetrics(registry);
        return registry;
      },
    },
  ],
  exports: [Registry],
})
export class MetricsModule {}
