import { join } from 'node:path';
import { ServiceProcess } from '../faults/support/service-process';

/** Starts the service as a process, with one mistake made in it beforehand. */
async function start(mistake: string): Promise<{ code: number | null; stderr: string; stdout: string }> {
  const service = ServiceProcess.spawn({}, { preload: [join(__dirname, mistake)] });
  const { code } = await service.exit;
  return { code, stderr: service.stderr, stdout: service.stdout };
}

describe('the service does not start', () => {
  it('where a query has no handler, and names the query and the operation that executes it', async () => {
    const { code, stderr, stdout } = await start('without-a-handler.js');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'GetShippingDetailsQuery has no handler, but ShippingController.getShippingDetails executes it',
    );
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).not.toContain('Listening');
  });
});
