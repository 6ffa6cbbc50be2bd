import { Global, Module } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { MetricsController } from './metrics.controller';
import { performance } from 'node:perf_hooks';

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

/** Registers the default metrics of the process, and the time of its event loop. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  new Counter({
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time that the event loop was working (active) and waiting (idle)',
    labelNames: ['state'],
    registers: [registry],
    // The share of `active` in any period is the utilisation of the event loop.
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ state: 'active' }, active / 1000);
      this.inc({ state: 'idle' }, idle / 1000);
    },
  });
}
