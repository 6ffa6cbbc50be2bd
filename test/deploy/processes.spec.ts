import { readSettings } from '../../src/config/settings';
import { TABLE } from '../../src/config/settings.schema';
import { type Node, PACKAGE, pairsIn, read } from './support/files';
import { COMPOSE, SETTINGS, workload } from './support/manifests';

/** How one process of the service is run. */
interface Deployment {
  readonly env: Readonly<Record<string, string>>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceSeconds: number;
  readonly memory: string;
}

const { pod, container } = workload();
const LINES = read('deploy/systemd/shipping-query-service@.service').split('\n');
const UNIT = pairsIn(LINES);
const UNIT_ENV = LINES.flatMap((line) => /^Environment=(.*)$/.exec(line)?.[1]?.replaceAll('%i', '1').split(' ') ?? []);
/** What the image has for each of its containers: settings of the C library. */
const [, IMAGE_ENV = ''] = /^ENV (MALLOC.*)$/m.exec(read('Dockerfile')) ?? [];
const { 'service-1': replica, sandbox } = COMPOSE.services;

/** Variables whose values are in a Secret get one of the kind that an operator would put there. */
const secretOf = (name: string): string => (name === 'REDIS_URL' ? 'redis://redis' : 'secret');
const variable = ({ name, value }: Node): [string, string] => [name, value ?? secretOf(name)];
const FILE = { EXTERNAL_SHIPPING_BASE_URL: 'https://from.the.environment.file' };

const DEPLOYMENTS: Readonly<Record<string, Deployment>> = {
  Kubernetes: {
    env: { NODE_ENV: 'production', ...SETTINGS, ...Object.fromEntries(container.env.map(variable)) },
    graceSeconds: pod.terminationGracePeriodSeconds - Number(container.lifecycle.preStop.exec.command[1]),
    memory: container.resources.limits.memory,
  },
  compose: {
    env: { NODE_ENV: 'production', ...replica.environment },
    graceSeconds: parseInt(replica.stop_grace_period),
    memory: replica.mem_limit,
  },
  systemd: {
    env: { ...FILE, ...pairsIn(UNIT_ENV) },
    graceSeconds: Number(UNIT.TimeoutStopSec),
    memory: String(UNIT.MemoryMax),
  },
};

const mebibytes = (size: string): number => Number(/^(\d+)M/i.exec(size)?.[1]);

describe.each(Object.entries(DEPLOYMENTS))('a process by %s', (_, { env, graceSeconds, memory }) => {
  it('D26 starts with its settings, each of which the service or Node reads', () => {
    expect(readSettings(env).warnings).toEqual([]);
    expect(Object.keys(env).filter((name) => !(name in TABLE) && !/^(NODE_OPTIONS|MALLOC_.*)$/.test(name))).toEqual([]);
  });

  it('D25 has a port of its own for probes and metrics', () => {
    expect(readSettings(env).managementPort).toBeGreaterThan(0);
  });

  it('D27 has time to drain', () => {
    expect(graceSeconds).toBeGreaterThan(25);
  });

  it('has memory beyond its heap, and an alert before it is killed', () => {
    const heap = Number(/--max-old-space-size=(\d+)/.exec(env.NODE_OPTIONS ?? '')?.[1]);
    expect(heap).toBeLessThanOrEqual(0.5 * mebibytes(memory));
    const rules = read('deploy/prometheus/alerts.yaml');
    const alert = /process_resident_memory_bytes\S* > (\d+) \* 1024 \* 1024/.exec(rules);
    expect(Number(alert?.[1])).toBeLessThan(mebibytes(memory));
  });
});

it('all of them run what npm start runs, of this version', () => {
  const flags = ' --heapsnapshot-signal=SIGUSR2 --diagnostic-dir=/tmp';
  expect(UNIT.ExecStart).toBe(`/usr/bin/${PACKAGE.scripts.start.replace('node', `node${flags}`)}`);
  expect(UNIT_ENV).toEqual(expect.arrayContaining(IMAGE_ENV.split(' ')));
  expect([replica.image, sandbox.image]).toEqual(
    Array(2).fill(`shipping-query-service:\${SHIPPING_VERSION:-${PACKAGE.version}}`),
  );
  expect(container.image).toBe(`shipping-query-service:${PACKAGE.version}`);
});
