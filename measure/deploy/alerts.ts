import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { RedisServer } from '../../test/redis/support/redis-server';
import { freePort } from '../../test/support/free-port';
import { wireList, wireRecord } from '../../testing/upstream/records';
import { json, status, validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { check, checkWithin, execute, ROOT, runProgram, say, temporaryFolder } from '../checks';
import { Load } from '../load';
import { ServerProcess } from '../server-process';

/**
 * Checks the shipped rules with promtool, then has a real Prometheus scrape the built service while parts of its world
 * fail, and runs the queries of the dashboard and the commands of the runbook. Debian has Prometheus
 * (`apt-get install -y prometheus`) and redis-server. Exits with 1 where something does not hold.
 */

const RULES = 'deploy/prometheus/alerts.yaml';
const RUNBOOK = read('docs/alerts.md');
const RATE = 20;
/** Windows and times of the rules are shorter here by this factor, so that a minute takes three seconds. */
const FASTER = 20;
/** Logs are those of the service; what is executed in a replica runs here. */
const KUBECTL = `#!/bin/sh
[ "$1" = logs ] && exec cat "$(dirname "$0")/log"
[ "$1" = exec ] || exit 2
while [ "$1" != -- ]; do shift; done; shift; exec "$@"
`;
const OUTAGE = ['ExternalShippingCircuitOpen', 'ShippingDegradedAnswers', 'ShippingServerErrors'];

/** The folder of the commands of the runbook and of Prometheus, and of what they and the service write. */
const bin = temporaryFolder('shipping-runbook');

/** Checks the rules and the configurations for Kubernetes and compose. Resolves with that for systemd, which is run. */
async function checkFiles(): Promise<string> {
  await promtool('the rules are valid', `check rules ${RULES}`);
  await promtool('each alert fires in an outage alone', `test rules ${RULES.replace('.yaml', '.test.yaml')}`);
  const [kubernetes = '', ...others] = [...RUNBOOK.matchAll(/^```yaml\n([^]*?)```$/gm)].map(([, block = '']) => block);
  const [compose = '', systemd = ''] = others.map((block) => kubernetes.replace(/scrape_configs:[^]*/, block));
  // Debian builds Prometheus without the service discovery of Kubernetes.
  const plain = kubernetes.replace('kubernetes_sd_configs: [{ role: pod }]', '');
  for (const [name, config] of Object.entries({ kubernetes: plain, compose })) {
    writeFileSync(join(bin, `${name}.yaml`), config);
    await promtool(`the configuration for ${name} is valid`, `check config --syntax-only ${bin}/${name}.yaml`);
  }
  return systemd;
}

async function main(): Promise<void> {
  const plain = await checkFiles();
  const upstream = await ScriptedUpstream.start();
  const redis = await RedisServer.start();
  process.once('exit', () => void redis.kill());
  const managementPort = String(await freePort());
  const env = {
    EXTERNAL_SHIPPING_BASE_URL: upstream.url,
    EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '500',
    REDIS_URL: redis.url,
    CACHE_TTL_MS: '1000',
    MANAGEMENT_PORT: managementPort,
  };
  const entry = [process.execPath, '--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${bin}`, 'dist/main.js'] as const;
  const service = await ServerProcess.start({ name: 'service', entry, env, readyAt: '/health/ready' });
  const prometheus = await startPrometheus(plain, managementPort);
  new Load(service.url, { ratePerSecond: RATE }).start();

  // What `promtool` tests with made-up series, such as blips, is not repeated here.
  say('\nThe external system fails');
  upstream.respondWith(() => status(503));
  await expectAlerts(prometheus, 'fires', ...OUTAGE);

  say('\nIt recovers, and sends malformed values for a moment');
  upstream.respondWith((call) =>
    call.path.endsWith('details') ? json(wireList([wireRecord({ TotalWeight: '2 kg' })])) : validResponse(call),
  );
  await expectAlerts(prometheus, 'ends', ...OUTAGE);
  upstream.respondWith(validResponse);
  await dashboard(prometheus);

  say('\nRedis is lost');
  await redis.kill();
  await expectAlerts(prometheus, 'fires', 'ShippingRedisDown');

  say('\nThe commands of the runbook');
  await runbook(service, upstream.url, managementPort);

  say('\nThe service stops');
  await service.stop();
  await expectAlerts(prometheus, 'fires', 'ShippingReplicaDown', 'ShippingNoReplica');
}

/** Starts a Prometheus with the configuration of the runbook for one replica outside of Kubernetes, and with faster rules. */
async function startPrometheus(config: string, managementPort: string): Promise<ServerProcess> {
  const shorter = (_: string, before: string, length: string, unit: string): string =>
    `${before}${(Number(length) * (unit === 'h' ? 3600 : 60)) / FASTER}s`;
  const faster = config
    .replace('scrape_interval: 15s', 'scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s')
    .replace("'127.0.0.1:9091', '127.0.0.1:9092'", `'127.0.0.1:${managementPort}'`);
  writeFileSync(join(bin, 'alerts.yaml'), read(RULES).replaceAll(/(\[|:|for: |offset )(\d+)([mh])/g, shorter));
  writeFileSync(join(bin, 'prometheus.yaml'), faster);
  const port = await freePort();
  const places = [`--config.file=${bin}/prometheus.yaml`, `--storage.tsdb.path=${bin}/data`];
  const entry = ['prometheus', ...places, `--web.listen-address=127.0.0.1:${port}`] as const;
  return ServerProcess.start({ name: 'prometheus', entry, port, readyAt: '/-/ready' });
}

/** The series of an expression now, each in a line: `{labels} => value @[time]`. */
async function seriesOf({ url }: ServerProcess, expression: string): Promise<string> {
  return (await execute('promtool', ['query', 'instant', url, expression])).trim();
}

/** Checks that each of the alerts fires, or that it ends. */
async function expectAlerts(prometheus: ServerProcess, event: 'fires' | 'ends', ...names: string[]): Promise<void> {
  for (const name of names) {
    const query = `ALERTS{alertstate="firing",alertname="${name}"}`;
    const isFiring = async (): Promise<boolean> => (await seriesOf(prometheus, query)) !== '';
    await checkWithin(`${name} ${event}`, async () => (await isFiring()) === (event === 'fires'));
  }
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** Each query of the dashboard gives numbers, but for quantiles of what did not happen and for TLS, which is not there. */
async function dashboard(prometheus: ServerProcess): Promise<void> {
  const { panels } = JSON.parse(read('deploy/grafana/shipping-query-service.json')) as Dashboard;
  for (const { title, targets = [] } of panels) {
    const mayBeEmpty = title === 'Waits for a slot' || title === 'Certificates';
    for (const { expr } of targets) {
      // There is no balancer here; the tests of the balancer have one.
      if (expr.includes('shipping-balancer')) continue;
      const ofJob = expr.replaceAll('$job', 'shipping-query-service').replaceAll('$namespace', '.*');
      const query = ofJob.replaceAll('$__rate_interval', '10s');
      // A busy machine may miss some scrapes.
      const hasNumbers = async (): Promise<boolean> => {
        const values = await seriesOf(prometheus, query);
        return (mayBeEmpty || values !== '') && !/=> (NaN|[+-]Inf) /.test(values);
      };
      await checkWithin(`panel ${title}`, hasNumbers, () => seriesOf(prometheus, query));
    }
  }
}

/**
 * Runs each command of the runbook in a shell, where `kubectl` is a stand-in: the log is that of the service, and what
 * it executes runs beside it. A block that says `Not run` is left out.
 */
async function runbook(service: ServerProcess, upstream: string, managementPort: string): Promise<void> {
  writeFileSync(join(bin, 'log'), service.output);
  writeFileSync(join(bin, 'kubectl'), KUBECTL, { mode: 0o755 });
  const path = [bin, dirname(process.execPath), process.env.PATH].join(':');
  const env = { PATH: path, POD: 'pod', EXTERNAL_SHIPPING_BASE_URL: upstream };
  // The blocks for a shell, and what begins with `kubectl` in a sentence.
  const commands = [...RUNBOOK.matchAll(/^```sh\n([^]*?)```$/gm), ...RUNBOOK.matchAll(/`(kubectl [^`]+)`/g)];
  for (const [, command = ''] of commands) {
    const [name = ''] = command.split('\n');
    if (name.startsWith('# Not run')) continue;
    const here = command.replaceAll('9090', managementPort).replaceAll('kill(1,', `kill(${service.pid},`);
    const local = here.replaceAll('/tmp/', `${bin}/`).replace('dist/', `${ROOT}/dist/`);
    await check(name, async () => {
      // The external system is this process, so that the command must not block it.
      const output = await execute('bash', ['-o', 'pipefail', '-c', local], { cwd: bin, env });
      if (output === '') throw new Error('It has written nothing');
    });
  }
}

function promtool(name: string, command: string): Promise<void> {
  return check(name, () => execute('sh', ['-c', `promtool ${command}`], { cwd: ROOT }));
}

void runProgram(main);
