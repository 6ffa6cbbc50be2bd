import { Controller, Get, Global, Module, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, register, Registry } from 'prom-client';
import { ManagementRoute, Public } from '../../common/route-metadata';
import { VERSION } from '../../common/version';

@Public()
@ApiExcludeController()
@Controller({ path: 'metrics', version: VERSION_NEUTRAL })
class MetricsController {
  constructor(private readonly registry: Registry) {}

  /**
   * Sends the metrics of the service and those of the default registry of prom-client, in which applications that
   * extend the service register theirs. The handler sends the text itself, because interceptors of such an application
   * may wrap what handlers return.
   */
  @Get()
  @ManagementRoute('/metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    for (const { name } of register.getMetricsAsArray()) {
      const metric = register.getSingleMetric(name);
      if (metric && !this.registry.getSingleMetric(name)) this.registry.registerMetric(metric);
    }
    reply.type(this.registry.contentType).send(await this.registry.metrics());
  }
}

/** Provides the registry of metrics, one for each application, and serves it. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [Registry],
  exports: [Registry],
})
export class MetricsModule {
  constructor(registry: Registry) {
    collectDefaultMetrics({ register: registry });
    const registers = [registry];
    const build = { name: 'shipping_build_info', help: 'Always 1, with the version of the service', registers };
    new Gauge({ ...build, labelNames: ['version'] }).set({ version: VERSION }, 1);
    new Counter({
      name: 'shipping_event_loop_active_seconds_total',
      help: 'Time in which the event loop had work, also where it waited for the processor beside other processes',
      registers,
      collect() {
        this.reset();
        this.inc(performance.eventLoopUtilization().active / 1000);
      },
    });
  }
}
