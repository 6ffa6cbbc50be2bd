import { read } from '../../test/deploy/support/files';
import { check, checkEqual, checkThat, checkWithin, STATE_MS, until } from '../checks';
import type { Engine } from './engine';

const [FIRST, SECOND] = ['shipping-query-service@1.service', 'shipping-query-service@2.service'] as const;
/** All that systemd needs, because not every machine may give all rights (`--privileged`). */
const RIGHTS = ['SYS_ADMIN', 'NET_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'];
const OPTIONS = [
  ...RIGHTS.flatMap((right) => ['--cap-add', right]),
  ...['seccomp', 'apparmor'].flatMap((profile) => ['--security-opt', `${profile}=unconfined`]),
  ...['--network', 'none', '--volume', '/sys/fs/cgroup:/sys/fs/cgroup', '--tmpfs', '/run', '--tmpfs', '/tmp'],
];
/** The loop of docs/production.md. */
const ROLLING = 'for number in 1 2; do systemctl restart shipping-query-service@$number && sleep 2 || break; done';
/** That of the runbook. */
const [CHECK = ''] = /(?<=```sh\n# Not run .*\n)cd [^]*?(?=```)/.exec(read('docs/alerts.md')) ?? [];
const OPERATION = 'http://127.0.0.1:8080/api/Shipping/GetShippingDetails';
/** Sends requests to the balancer until the file exists, and ends with the number of those that failed. */
const SEND = `let failed = 0;
  const send = async () => (await fetch('${OPERATION}')).ok;
  (async () => {
    while (!fs.existsSync('/tmp/done')) failed += (await send().catch(() => false)) ? 0 : 1;
    process.exit(failed);
  })();`;

const show = (property: string): string => `systemctl show --property ${property} --value ${FIRST}`;
const journal = (unit: string): string => `journalctl --unit ${unit} --no-pager --output cat`;

/** Runs a command of the shell. */
type Machine = (command: string) => Promise<string>;

/** Boots the unit, and HAProxy of Debian, in a container with systemd, as docs/production.md installs them. */
export async function checkUnit(engine: Engine): Promise<void> {
  const container = await engine.docker('run', '--detach', ...OPTIONS, 'unit');
  for (const step of [boot, start, replace, snapshot, stop]) await step((command) => engine.shell(container, command));
  await engine.docker('rm', '--force', container);
}

async function boot(machine: Machine): Promise<void> {
  await until(async () => (await machine('systemctl list-units')) !== '', STATE_MS, 250);
  checkEqual('systemd-analyze verify finds nothing', await machine(`systemd-analyze verify ${FIRST} 2>&1`), '');
  const sandbox = '/usr/bin/node /opt/shipping-query-service/dist/sandbox/sandbox.process.js';
  const env = '--setenv HOST=127.0.0.1 --setenv SANDBOX_PORT=4000';
  await machine(`systemd-run --quiet --unit sandbox ${env} ${sandbox}`);
}

async function start(machine: Machine): Promise<void> {
  await check('units are started when they listen, with a secret that only root can read', () =>
    machine(`systemctl start ${FIRST} ${SECOND} && wget -qO- http://127.0.0.1:9091/health/ready`),
  );
  const lines = await machine(`${journal(FIRST)} --identifier shipping-query-service`);
  checkThat('the journal has lines by name', lines.startsWith('{"level":30,'), lines);
  const shown = await machine(CHECK);
  checkThat('the check of the runbook reaches the external system', shown.includes('status 200'), shown);
  const scrape = 'for port in 9091 9092 8404; do wget -qO- 127.0.0.1:$port/metrics | grep -m 1 TYPE; done';
  const metrics = await machine(scrape);
  checkEqual('Prometheus can scrape both processes and HAProxy', metrics.split('\n').length, 3);
  const balances = async (): Promise<boolean> => (await machine(`wget -qO- ${OPERATION}`)) !== '';
  await checkWithin('HAProxy has started without them, and finds them', balances, () => machine(journal('haproxy')));
}

/** Restarts the processes one after the other, and reloads HAProxy. */
async function replace(machine: Machine): Promise<void> {
  const sent = machine(`node --eval "${SEND}"`).then(() => '', String); // prettier-ignore
  await machine(`${ROLLING}; systemctl reload haproxy && touch /tmp/done`);
  checkEqual('no request fails while they are restarted, and HAProxy reloads', await sent, '');
  checkEqual('none of them has failed', await machine(show('NRestarts')), '0');
}

/** By the commands of the runbook; the folder is one that only the unit sees as /tmp. */
async function snapshot(machine: Machine): Promise<void> {
  await machine(`systemctl kill --kill-who main --signal USR2 ${FIRST}`);
  const folder = '/tmp/systemd-private-*shipping-query-service*/tmp';
  const isWritten = async (): Promise<boolean> => (await machine(`ls ${folder}`)).includes('.heapsnapshot');
  await checkWithin('SIGUSR2 writes a heap snapshot', isWritten, () => machine(journal(FIRST)));
  checkEqual('the process goes on', await machine(show('NRestarts')), '0');
}

async function stop(machine: Machine): Promise<void> {
  await machine(`systemctl kill --kill-who main --signal KILL ${FIRST}`);
  const isRestarted = async (): Promise<boolean> =>
    (await machine(`${show('NRestarts')}; ${show('ActiveState')}`)) === '1\nactive';
  await checkWithin('a process that is killed is started again', isRestarted, () => machine(journal(FIRST)));
  await machine(`systemctl stop ${FIRST}`);
  checkEqual('it ends with 0', await machine(`${show('Result')}; ${show('ExecMainStatus')}`), 'success\n0');
}
