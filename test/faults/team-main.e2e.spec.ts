import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

describe('D85 the two functions that a main.ts of a team calls do all that the service does', () => {
  const processes = useServiceProcesses();
  const folder = mkdtempSync(join(tmpdir(), 'team-main-'));
  beforeAll(() => {
    writeFileSync(join(folder, '.env'), 'EXTERNAL_SHIPPING_TOKEN=of-the-file\nEXTERNAL_SHIPPING_API_KEY=\n');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const spawn = (env: Record<string, string> = {}): ServiceProcess =>
    processes.spawn({ FOLDER: folder, ...env }, { entry: 'test/faults/support/team-main.ts' });

  it('.env is read, each line of the log is JSON, and a signal drains', async () => {
    const service = spawn();
    await service.until(() => service.url !== '', 'listening');
    await service.request('/api/Shipping/GetShippingDetails');
    expect(processes.upstream.calls[0]?.headers.authorization).toBe('Bearer of-the-file');
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    const messages = service.log.map(({ msg }) => msg);
    expect([messages[0], messages.at(-1), service.stderr]).toEqual(['Listening', 'Stopped', '']);
  });

  it('a signal ends the process with 0 while it starts', async () => {
    const service = spawn({ STARTS: 'never' });
    await service.until(() => service.messages.length > 0, 'starting');
    service.signal('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
  });

  it('a start that fails is logged as JSON', async () => {
    const service = spawn({ STARTS: 'with an error' });
    expect((await service.exit).code).toBe(1);
    expect([...service.log.map(({ msg }) => msg), service.stderr]).toEqual(['a provider of a team', '']);
  });
});
