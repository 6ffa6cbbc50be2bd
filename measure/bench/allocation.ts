import autocannon from 'autocannon';
import { join } from 'node:path';
import { ServiceProcess } from '../../test/faults/support/service-process';

/** V8 allocates more until it has compiled the frequent functions for good, which takes some 25,000 requests. */
const WARM_UP_REQUESTS = 30_000;
const REQUESTS = 18_000;

/**
 * The bytes that the warm service allocates for each request of a path, which ends before the value of its last
 * parameter; `NaN` where V8 does not count them (before Node 26).
 */
export async function allocatedBytes(externalUrl: string, path: string): Promise<number> {
  const env = { NODE_ENV: 'production', EXTERNAL_SHIPPING_BASE_URL: externalUrl };
  const probe = join(__dirname, '../probe.js');
  const service = await ServiceProcess.start(env, { entry: 'dist/main.js', preload: [probe] });
  service.discardLog();
  try {
    await load(service.url, path, WARM_UP_REQUESTS);
    const before = await countOf(service);
    await load(service.url, path, REQUESTS);
    return ((await countOf(service)) - before) / REQUESTS;
  } finally {
    await service.stop();
  }
}

async function countOf(service: ServiceProcess): Promise<number> {
  const { metrics } = await service.ask({}, 'metrics');
  return (metrics as { allocatedBytes?: number }).allocatedBytes ?? NaN;
}

/** @throws Error where a request has no good response */
async function load(url: string, path: string, amount: number): Promise<void> {
  let sent = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({
    ...request,
    path: `${path}${(sent += 1)}`,
  });
  const options = { url, amount, connections: 32, requests: [{ setupRequest }] };
  const { errors, non2xx } = await autocannon(options);
  if (errors + non2xx > 0) throw new Error(`${errors + non2xx} of ${amount} requests have no good response`);
}
