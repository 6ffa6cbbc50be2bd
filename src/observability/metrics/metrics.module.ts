import { Controller, Get, Global, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { collectDefaultMetrics, register, Registry } from 'prom-client';
import { Public } from '../../common/public.decorator';

/** Exposes the metrics in the text format of Prometheus. */
@Public()
@ApiExcludeController()
@Controller('metrics')
class MetricsController {
  constructor(private readonly registry: Registry) {}

  /**
   * Also those of the default registry of prom-client, where teams and libraries register. Sent here, because interceptors of
   * teams may wrap what routes return.
   */
  @Get()
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    for (const { name } of register.getMetricsAsArray()) {
      const metric = register.getSingleMetric(name);
      if (metric && !this.registry.getSingleMetric(name)) this.registry.registerMetric(metric);
    }
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await this.registry.metrics());
  }
}

function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** The registry of the application, with the metrics of the process. Each capability registers its own metrics in it. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [{ provide: Registry, useFactory: createRegistry }],
  exports: [Registry],
})
export class MetricsModule {}
