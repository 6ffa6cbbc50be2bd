import { type Checks, until } from '../checks';
import type { Engine } from './engine';

const [FIRST, SECOND] = ['shipping-query-service@1.service', 'shipping-query-service@2.service'] as const;
const WAIT_MS = 90_000;
/** All that systemd needs, because not every machine may give all rights (`--privileged`). */
const RIGHTS = ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
const OPTIONS = [
  ...RIGHTS.flatMap((right) => ['--cap-add', right]),
  ...['seccomp', 'apparmor'].flatMap((profile) => ['--security-opt', `${profile}=unconfined`]),
  ...['--network', 'none', '--volume', '/sys/fs/cgroup:/sys/fs/cgroup', '--tmpfs', '/run', '--tmpfs', '/tmp'],
];
/** The loop of docs/production.md. */
const ROLLING = 'for number in 1 2; do systemctl restart shipping-query-service@$number && sleep 2 || break; done';
/** Sends requests to the balancer until the file exists, and ends with the number of those that failed. */
const SEND = `let failed = 0;
  const send = async () => (await fetch('http://127.0.0.1:8080/api/Shipping/GetShippingDetails')).ok;
  (async () => {
    while (!fs.existsSync('/tmp/done')) failed += (await send().catch(() => false)) ? 0 : 1;
    process.exit(failed);
  })();`;

/** Boots the unit, and HAProxy of Debian, in a container with systemd, as docs/production.md installs them. */
export async function checkUnit(engine: Engine, image: string, checks: Checks): Promise<void> {
  const container = await engine.docker('run', '--detach', ...OPTIONS, image);
  const machine = new Machine((...command) => engine.docker('exec', container, ...command), checks);
  await machine.boot();
  await machine.start();
  await machine.replace();
  await machine.warn();
  await machine.hang();
  await engine.docker('rm', '--force', container);
}

class Machine {
  constructor(
    private readonly run: (...command: string[]) => Promise<string>,
    private readonly checks: Checks,
  ) {}

  async boot(): Promise<void> {
    const isBooted = (): Promise<boolean> => this.run('systemctl', 'list-units').then(() => true, () => false); // prettier-ignore
    await until(isBooted, WAIT_MS, 250);
    const verified = await this.run('sh', '-c', `systemd-analyze verify ${FIRST} 2>&1`);
    this.checks.expect('systemd-analyze verify finds nothing', verified === '', verified);
    const sandbox = ['--setenv', 'HOST=127.0.0.1', '--setenv', 'SANDBOX_PORT=4000', '/usr/bin/node'];
    const script = '/opt/shipping-query-service/dist/sandbox/sandbox.process.js';
    await this.run('systemd-run', '--quiet', '--unit', 'sandbox', ...sandbox, script);
  }

  async start(): Promise<void> {
    await this.checks.check('units are started when they listen, with a secret that only root can read', async () => {
      await this.run('systemctl', 'start', FIRST, SECOND);
      await this.expectOk('http://127.0.0.1:9091/health/ready');
    });
    const lines = await this.journal(FIRST, '--identifier', 'shipping-query-service');
    this.checks.expect('the journal has lines by name, without priorities', lines.startsWith('{"level":30,'), lines);
    const operation = 'http://127.0.0.1:8080/api/Shipping/GetShippingDetails';
    const balances = (): Promise<boolean> => this.expectOk(operation).then(() => true, () => false); // prettier-ignore
    const log = (): Promise<string> => this.journal('haproxy');
    await this.checks.within('HAProxy has started without them, and finds them', balances, log);
  }

  /** Restarts the processes one after the other, and reloads HAProxy. */
  async replace(): Promise<void> {
    const sent = this.run('node', '--eval', SEND).then(() => '', String); // prettier-ignore
    await this.run('sh', '-c', ROLLING);
    await this.run('systemctl', 'reload', 'haproxy');
    await this.run('touch', '/tmp/done');
    const failed = await sent;
    this.checks.expect('no request fails while they are restarted, and HAProxy reloads', failed === '', failed);
    const before = await this.show(FIRST, 'NRestarts');
    this.checks.expect('none of them has failed', before === '0', before);
  }

  async warn(): Promise<void> {
    await this.run('systemctl', 'stop', 'sandbox');
    const send = 'fetch("http://127.0.0.1:3001/api/Shipping/GetShippingDetails?OrderId=x")';
    await this.run('node', '--eval', `Promise.all(Array.from({ length: 5 }, () => ${send}))`);
    const warns = async (): Promise<boolean> =>
      (await this.journal(FIRST, '--priority', 'warning')).includes('"level":40');
    await this.checks.within('journalctl -p warning finds warnings', warns);
  }

  async hang(): Promise<void> {
    await this.run('systemctl', 'kill', '--kill-who', 'main', '--signal', 'STOP', FIRST);
    const isRestarted = async (): Promise<boolean> =>
      (await this.show(FIRST, 'NRestarts')) === '1' && (await this.show(FIRST, 'ActiveState')) === 'active';
    await this.checks.within('a process that hangs is restarted', isRestarted, () => this.journal(FIRST));
    await this.run('systemctl', 'stop', FIRST);
    const ending = `${await this.show(FIRST, 'Result')} ${await this.show(FIRST, 'ExecMainStatus')}`;
    this.checks.expect('it ends with 0', ending === 'success 0', ending);
  }

  /** @throws where there is no successful response */
  private async expectOk(url: string): Promise<void> {
    await this.run('node', '--eval', `fetch("${url}").then(({ ok }) => process.exit(ok ? 0 : 1))`);
  }

  private show(unit: string, property: string): Promise<string> {
    return this.run('systemctl', 'show', '--property', property, '--value', unit);
  }

  private journal(unit: string, ...options: string[]): Promise<string> {
    return this.run('journalctl', '--unit', unit, '--no-pager', '--output', 'cat', ...options);
  }
}
