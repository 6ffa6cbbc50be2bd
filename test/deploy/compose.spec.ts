import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, read, readYaml } from './support/files';
import { environmentFaults } from './support/known-settings';

const FOLDER = join(__dirname, '../../deploy');
const ALLOWED = new Set(['name', 'services', 'x-hardened', 'x-image', 'x-service']);

function load(): Node {
  return readYaml('deploy/compose.yaml')[0];
}

const REPLICAS = ['service-1', 'service-2', 'service-3'];

/** Where the external system of the replicas and their Redis are said to be. */
function namedHosts({ environment }: Node): string[] {
  return Object.values<string>(environment)
    .filter((value) => /^[a-z]+:\/\//.test(value))
    .map((value) => new URL(value).host);
}

/** What is wrong with the compose file. */
function composeFaults(compose: Node): string[] {
  const { services } = compose;
  const faults = Object.keys(compose).filter((name) => !ALLOWED.has(name));
  const all = Object.entries<Node>(services);
  for (const [name, service] of all) {
    const rules: [fault: string, isBroken: boolean][] = [
      ['no exact version of its image', !/:\d+\.\d+\.\d+/.test(service.image)],
      ['no health check', service.healthcheck === undefined && service.build === undefined],
      ['no limit on memory', service.mem_limit === undefined],
      ['may write to its image', service.read_only !== true],
      ['keeps capabilities', String(service.cap_drop) !== 'ALL'],
      ['runs as root', service.build === undefined && !/^[1-9]\d*:[1-9]\d*$/.test(service.user)],
      ['killed before it has drained', service.build !== undefined && service.stop_grace_period !== '30s'],
      ['waits for what is not there', !Object.keys(service.depends_on ?? {}).every((other) => other in services)],
      ['does not wait until others are ready', !Object.values<Node>(service.depends_on ?? {}).every(({ condition }) => condition === 'service_healthy')], // prettier-ignore
      ['reachable from outside', service.ports !== undefined && name !== 'balancer'],
    ];
    faults.push(...rules.filter(([, isBroken]) => isBroken).map(([fault]) => `${name}: ${fault}`));
  }
  for (const name of REPLICAS) {
    faults.push(...environmentFaults(services[name].environment, 'service'));
    const unknown = namedHosts(services[name]).filter((host) => !(host.replace(/:.*/, '') in services));
    faults.push(...unknown.map((host) => `${name}: nobody is called ${host}`));
  }
  return [...faults, ...environmentFaults(services.sandbox.environment, 'sandbox')];
}

describe('the compose file', () => {
  it('breaks no rule', () => {
    expect(composeFaults(load())).toEqual([]);
  });

  it('gives three replicas alike to the balancer, under the names and the port that nginx knows', () => {
    const { services } = load();
    const [first, ...others] = REPLICAS.map((name) => services[name]);
    expect(others).toEqual([first, first]);
    const servers = [...read('deploy/nginx/replicas.conf').matchAll(/^server (\S+):3000 /gm)].map(([, name]) => name);
    expect(servers).toEqual(REPLICAS);
    expect(Object.keys(services.balancer.depends_on)).toEqual(REPLICAS);
  });

  it('publishes the port that nginx listens on, which reads the files that are here', () => {
    const { balancer } = load().services;
    const port = /^listen (\d+);$/m.exec(read('deploy/nginx/listen.conf'))?.[1];
    expect(balancer.ports).toEqual([`8080:${String(port)}`]);
    for (const volume of balancer.volumes) {
      const [from, to, access] = volume.split(':');
      expect([from, existsSync(join(FOLDER, from))]).toEqual([from, true]);
      expect([to.replace('/etc/nginx', './nginx'), access]).toEqual([from, 'ro']);
    }
    const included = [...read('deploy/nginx/nginx.conf').matchAll(/include (\S+);/g)].map(([, name]) => String(name));
    expect(balancer.volumes).toHaveLength(included.length + 1);
    expect(balancer.volumes.join()).toMatch(new RegExp(included.join('|')));
  });

  it('has the sandbox listen where the replicas look for it', () => {
    const { sandbox, 'service-1': service } = load().services;
    const port = `:${sandbox.environment.SANDBOX_PORT}`;
    expect(service.environment.EXTERNAL_SHIPPING_BASE_URL).toBe(`http://sandbox${port}`);
    expect(sandbox.healthcheck.test.join(' ')).toContain(port);
    expect(sandbox.environment.HOST).toBe('0.0.0.0');
  });
});
