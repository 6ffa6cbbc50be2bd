import type { ServiceProcess } from '../../test/faults/support/service-process';
import { checkEqual, checkNone, checkThat, say, until } from '../checks';
import { median } from '../report';
import type { Stage } from './scenarios';

const CALM_MS = 15_000;
/**
 * The growth of the heap that is taken for newly compiled code and garbage. A leak of a hundred bytes a request exceeds
 * this growth in minutes.
 */
const HEAP_TOLERANCE_BYTES = 1_048_576;

/** Measurements of the service, after a garbage collection. */
export interface Metrics {
  readonly heapBytes: number;
  readonly connections: number;
  readonly timers: number;
  readonly warnings: readonly string[];
}

export const metricsOf = async (service: ServiceProcess): Promise<Metrics> =>
  (await service.ask({}, 'metrics')).metrics as Metrics;

/** Measures after a wait in which idle connections are closed: a connection that is still open then is a leak. */
export async function calm({ service, upstream }: Stage): Promise<Metrics> {
  const connectionsOf = async (): Promise<number> =>
    Math.max((await metricsOf(service)).connections, upstream.openSockets());
  await until(async () => (await connectionsOf()) === 0, CALM_MS, 500);
  const metrics = { ...(await metricsOf(service)), connections: await connectionsOf() };
  say(`calm: ${JSON.stringify(metrics)}`);
  return metrics;
}

/** Checks that nothing has grown. */
export function compareGrowth(before: Metrics, after: Metrics, samples: readonly Metrics[]): void {
  // V8 drops compiled code and compiles it again, so that single values differ by a megabyte.
  const heap = [before, ...samples, after].map(({ heapBytes }) => heapBytes);
  const half = Math.ceil(heap.length / 2);
  const growth = median(heap.slice(-half)) - median(heap.slice(0, half));
  checkThat(`the heap grows by ${growth} bytes`, growth <= HEAP_TOLERANCE_BYTES, `over ${HEAP_TOLERANCE_BYTES}`);
  checkEqual('no connection is left', after.connections, 0);
  checkThat('no timer is left', after.timers <= before.timers, `${before.timers} → ${after.timers}`);
  checkNone('no warning', after.warnings);
}
