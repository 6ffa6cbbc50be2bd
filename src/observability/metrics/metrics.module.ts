import { Controller, Global, Module, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, type LabelValues, register, Registry } from 'prom-client';
import { ManagementRoute } from '../../common/route-metadata';
import { VERSION } from '../../common/version';

/**
 * The lowest bound is that of results from the cache. Those of 2.5 and 6 s stand just above the default deadlines of an
 * attempt and of a call, so that time-outs do not look twice as long as they are.
 */
export const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 6, 10];

/** Registers a gauge whose value is read at each scrape. */
export function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  function collect(this: Gauge): void {
    this.set(value());
  }
  new Gauge({ name, help, registers: [registry], collect });
}

/**
 * Registers a counter with one label. It starts at zero for each value of the label: Prometheus computes a rate from
 * two samples, so that alerts would miss a failure that is the first sample of its series.
 */
export function counter<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
  values: readonly string[],
): Counter<Label> {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  for (const value of values) counter.inc({ [label]: value } as LabelValues<Label>, 0);
  return counter;
}

/**
 * The metrics of Node, once for all applications of a process. Those of an application of its own would observe the
 * process for ever, and keep that application in memory after it was closed (D83).
 */
const nodeMetrics = new Registry();

/** Adds the metrics of another registry, but for those whose names are taken. */
function addMetrics(registry: Registry, others: Registry): void {
  for (const { name } of others.getMetricsAsArray()) {
    const metric = others.getSingleMetric(name);
    if (metric && !registry.getSingleMetric(name)) registry.registerMetric(metric);
  }
}

function collectActiveSeconds(this: Counter): void {
  this.reset();
  this.inc(performance.eventLoopUtilization().active / 1000);
}

@Controller()
class MetricsController {
  constructor(private readonly registry: Registry) {}

  /**
   * Sends the metrics of the service and those of the default registry of prom-client, in which applications that
   * extend the service register theirs. The handler sends the text itself, because interceptors of such an application
   * may wrap what handlers return.
   */
  @ManagementRoute('/metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    addMetrics(this.registry, register);
    reply.type(this.registry.contentType).send(await this.registry.metrics());
  }
}

/** Provides the registry of metrics, one for each application, and serves it. */
@Global()
@Module({ controllers: [MetricsController], providers: [Registry], exports: [Registry] })
export class MetricsModule {
  constructor(registry: Registry) {
    if (nodeMetrics.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: nodeMetrics });
    addMetrics(registry, nodeMetrics);
    const registers = [registry];
    const build = { name: 'shipping_build_info', help: 'Always 1, with the version of the service', registers };
    new Gauge({ ...build, labelNames: ['version'] }).set({ version: VERSION }, 1);
    const help = 'Time in which the event loop had work, also where it waited for the processor beside other processes';
    new Counter({ name: 'shipping_event_loop_active_seconds_total', help, registers, collect: collectActiveSeconds });
  }
}
