import { useFolder } from '../support/folder';
import { CLEAN_EXIT, type ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

describe('D85 the two functions that a main.ts of a team calls', () => {
  const processes = useServiceProcesses();
  const { folder, file } = useFolder();
  file('.env', 'EXTERNAL_SHIPPING_TOKEN=of-the-file\nEXTERNAL_SHIPPING_API_KEY=\n');
  const spawn = (env: Record<string, string> = {}): ServiceProcess =>
    processes.spawn({ FOLDER: folder, ...env }, { entry: 'test/faults/support/team-main.ts' });

  it('read .env, log JSON, and drain on a signal', async () => {
    const service = spawn({ CACHE_MAX_ENTRIES: '5' });
    await service.until(() => service.url !== '', 'listening');
    await service.request('/api/Shipping/GetShippingDetails');
    expect(processes.upstream.calls[0]?.headers.authorization).toBe('Bearer of-the-file');
    expect(await service.stop()).toEqual(CLEAN_EXIT);
    const warning = 'CACHE_MAX_ENTRIES is no setting; the nearest is CACHE_MAX_BYTES';
    const hook = "The team's hook gets SIGTERM";
    expect(service.log.map(({ msg }) => msg)).toEqual([warning, 'Listening', 'request', 'Draining', hook, 'Stopped']);
    expect(service.stderr).toBe('');
  });

  it('end the process with 0 on a signal while it starts', async () => {
    const service = spawn({ STARTS: 'never' });
    await service.until(() => service.messages.length > 0, 'starting');
    expect(await service.stop()).toEqual(CLEAN_EXIT);
  });

  it('D27 without them, a start that fails leaves nothing open', async () => {
    // Nothing listens there: a client of Redis that had begun to connect would try again and again.
    const service = spawn({ STARTS: 'late', EXTERNAL_SHIPPING_BASE_URL: '', REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await service.exit).toEqual(CLEAN_EXIT);
    expect(service.stdout).toContain('a provider of a team');
  });

  it('log a start that fails as JSON', async () => {
    const service = spawn({ STARTS: 'with an error' });
    expect((await service.exit).code).toBe(1);
    expect(service.log).toMatchObject([{ msg: 'a provider of a team' }]);
    expect(service.stderr).toBe('');
  });
});
