import { Controller, Get, Global, Header, Module } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { collectDefaultMetrics, register, Registry } from 'prom-client';
import { Public } from '../../common/public.decorator';

/** Exposes the metrics in the text format of Prometheus. */
@Public()
@ApiExcludeController()
@Controller('metrics')
class MetricsController {
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
