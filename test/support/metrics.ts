import type { Registry } from 'prom-client';

/** The samples of one metric, in the text format of Prometheus. */
export async function samplesOf(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** The counts of a histogram. */
export async function countsOf(registry: Registry, name: string): Promise<string[]> {
  return (await samplesOf(registry, name)).filter((line) => line.startsWith(`${name}_count`));
}
