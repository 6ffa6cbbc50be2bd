import { join } from 'node:path';
import { ServiceProcess } from '../faults/support/service-process';

/** Starts the service as a process, with one mistake made in it beforehand. */
async function start(mistake: string): Promise<{ code: number | null; stderr: string; stdout: string }> {
  const service = ServiceProcess.spawn({}, { preload: [join(__dirname, mistake)] });
  const { code } = await service.exit;
  return { code, stderr: service.stderr, stdout: service.stdout };
}

describe('the service does not start', () => {
  it('where a query has no handler, and names the query and the operation that asks it', async () => {
    const { code, stderr, stdout } = await start('without-a-handler.js');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'GetShippingDetailsQuery has no handler, but ShippingController.getShippingDetails asks it',
    );
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).not.toContain('Listening');
  });

  it('where a query has two, and names them and the query', async () => {
    const { code, stderr } = await start('with-a-handler-twice.js');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /GetShippingSingleQuery has 2 handlers: GetShippingSingleHandler of ShippingModule, AnotherSingleHandler of ShippingModule/,
    );
  });
});
