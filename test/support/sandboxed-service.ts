import type { ShippingRecord } from '../../src/sandbox/records';
import { startSandbox } from '../../src/sandbox/start-sandbox';
import { RunningService } from './service';
import { useStarted } from './started';

/**
 * A service on a sandbox of its own, for all tests of a suite. Returns a function that returns it.
 *
 * @param records the records of the sandbox, or how many are generated
 * @param env variables that add to those of the service, or replace them
 */
export function useSandbox(
  records: readonly ShippingRecord[] | number,
  variant: 'extended' | 'basic' = 'extended',
  env: Readonly<Record<string, string>> = {},
): () => RunningService {
  const sandbox = useStarted(() => startSandbox({ port: 0, records, variant }));
  return useStarted(async () => RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: await sandbox().getUrl(), ...env }));
}
