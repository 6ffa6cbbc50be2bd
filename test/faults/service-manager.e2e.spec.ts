import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../support/folder';
import type { ServiceProcess } from './support/service-process';
import { useServiceProcesses } from './support/service-processes';

/** With the program of systemd replaced by one that writes what it should send to a file. */
describe('D87 the process under systemd', () => {
  const processes = useServiceProcesses();
  const { folder, file } = useFolder();
  const sent = join(folder, 'sent');
  const program = file('systemd-notify', `#!/bin/sh\necho "$1" >> ${sent}\n`);
  chmodSync(program, 0o755);
  const start = (env: Readonly<Record<string, string>>): Promise<ServiceProcess> =>
    processes.start({ NOTIFY_SOCKET: '/run/systemd/notify', PATH: `${folder}:${String(process.env.PATH)}`, ...env });
  const messages = (): string[] => (existsSync(sent) ? readFileSync(sent, 'utf8').trim().split('\n') : []);

  it('reports that it listens, then twice a period of the watchdog', async () => {
    const service = await start({ WATCHDOG_USEC: '400000' });
    await service.until(() => messages().length >= 3, 'messages');
    expect(messages().sort().reverse().slice(-3)).toEqual(['WATCHDOG=1', 'WATCHDOG=1', 'READY=1']);
  });

  it('logs why systemd will take its start for failed', async () => {
    rmSync(program);
    const service = await start({ PATH: folder });
    await service.until(() => service.stdout.includes('systemd-notify failed: spawn systemd-notify ENOENT'), 'a line');
  });
});
