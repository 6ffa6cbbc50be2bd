import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { register, Registry } from 'prom-client';
import { Public } from '../../common/public.decorator';

/** Exposes the metrics in the text format of Prometheus. */
@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
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
