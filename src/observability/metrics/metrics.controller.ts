import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { register, Registry } from 'prom-client';
import { Public } from '../../common/public.decorator';

/** Exposes the metrics in the text format of Prometheus. */
@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly registry: Registry) {}

  /** Also those of the default registry of prom-client, where teams and libraries register. */
  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  scrape(): Promise<string> {
    for (const { name } of register.getMetricsAsArray()) {
      const metric = register.getSingleMetric(name);
      if (metric && !this.registry.getSingleMetric(name)) this.registry.registerMetric(metric);
    }
    return this.registry.metrics();
  }
}
