import { Counter, Gauge, type LabelValues, type Registry } from 'prom-client';

/**
 * The lowest bound is that of results from the cache. Those of 2.5 and 6 s stand just above the default deadlines of an
 * attempt and of a call, so that time-outs do not look twice as long as they are.
 */
export const SECONDS_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 6, 10];

/** Registers a gauge whose value is read at each scrape. */
export function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
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
