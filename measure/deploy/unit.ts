import { type Checks, until } from '../checks';
import type { Engine } from './engine';

const UNIT = 'shipping-query-service@1.service';
const WAIT_MS = 90_000;
/** All that systemd needs, because not every machine may give all rights (`--privileged`). */
const RIGHTS = ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
const OPTIONS = [
  ...RIGHTS.flatMap((right) => ['--cap-add', right]),
  ...['seccomp', 'apparmor'].flatMap((profile) => ['--security-opt', `${profile}=unconfined`]),
  ...['--network', 'none', '--volume', '/sys/fs/cgroup:/sys/fs/cgroup', '--tmpfs', '/run', '--tmpfs', '/tmp'],
];

/** Boots the unit in a container with systemd, and checks what systemd makes of it. */
export async function checkUnit(engine: Engine, image: string, checks: Checks): Promise<void> {
  const container = await engine.docker('run', '--detach', ...OPTIONS, image);
  const run = (...command: string[]): Promise<string> => engine.docker('exec', container, ...command);
  const show = (property: string): Promise<string> => run('systemctl', 'show', '--property', property, '--value', UNIT);
  const journal = (...options: string[]): Promise<string> =>
    run('journalctl', '--unit', UNIT, '--no-pager', '--output', 'cat', ...options);
  await until(() => run('systemctl', 'list-units').then(() => true, () => false), WAIT_MS, 250); // prettier-ignore

  const verified = await run('sh', '-c', `systemd-analyze verify ${UNIT} 2>&1`);
  checks.expect('systemd-analyze verify finds nothing', verified === '', verified);
  const sandbox = ['--setenv', 'HOST=127.0.0.1', '--setenv', 'SANDBOX_PORT=4000', '/usr/bin/node'];
  const script = '/opt/shipping-query-service/dist/sandbox/sandbox.process.js';
  await run('systemd-run', '--quiet', '--unit', 'sandbox', ...sandbox, script);

  await checks.check(
    'the unit is started when the service listens, with a secret that only root can read',
    async () => {
      await run('systemctl', 'start', UNIT);
      const listens = 'fetch("http://127.0.0.1:9091/health/ready").then(({ ok }) => process.exit(ok ? 0 : 1))';
      await run('node', '--eval', listens);
    },
  );
  const lines = await journal('--identifier', 'shipping-query-service');
  checks.expect('the journal has its lines by name, without priorities', lines.startsWith('{"level":30,'), lines);
  await run('systemctl', 'stop', 'sandbox');
  const ask = 'fetch("http://127.0.0.1:3001/api/Shipping/GetShippingDetails?OrderId=x")';
  await run('node', '--eval', `Promise.all(Array.from({ length: 5 }, () => ${ask}))`);
  const warns = async (): Promise<boolean> => (await journal('--priority', 'warning')).includes('"level":40');
  checks.expect('journalctl -p warning finds warnings', await until(warns, WAIT_MS, 250), 'none');

  await run('systemctl', 'kill', '--kill-who', 'main', '--signal', 'STOP', UNIT);
  const isRestarted = async (): Promise<boolean> =>
    (await show('NRestarts')) === '1' && (await show('ActiveState')) === 'active';
  const found = (await until(isRestarted, WAIT_MS, 500)) || (await journal());
  checks.expect('a process that hangs is restarted', found === true, String(found));
  await run('systemctl', 'stop', UNIT);
  const ending = `${await show('Result')} ${await show('ExecMainStatus')}`;
  checks.expect('it ends with 0', ending === 'success 0', ending);
  await engine.docker('rm', '--force', container);
}
