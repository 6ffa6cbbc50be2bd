import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { COMPOSE } from '../../test/deploy/support/manifests';
import { checkWithin, ROOT, STATE_MS, until } from '../checks';
import type { Engine } from './engine';

const DEPLOY = join(ROOT, 'deploy');
const PROJECT = 'shipping-query-service';

/** The network of all containers. */
export const NETWORK = `${PROJECT}_default`;
export const REPLICAS = ['service-1', 'service-2', 'service-3'] as const;
export const { services: SERVICES } = COMPOSE as { readonly services: Readonly<Record<string, { image: string }>> };
/** The version that the compose file names. */
export const [, VERSION = ''] = /:-(\S+)\}$/.exec(SERVICES['service-1']?.image ?? '') ?? [];
export const imageOf = (version: string): string => `shipping-query-service:${version}`;

/** The started compose file. Each container has the name of its service. */
export class Stack {
  readonly url = 'http://127.0.0.1:8080';
  private readonly compose: readonly string[];

  constructor(readonly engine: Engine) {
    // The compose of Debian does not know the name of a project.
    const file = join(engine.folder, 'compose.yaml');
    writeFileSync(file, read('deploy/compose.yaml').replace(/^name: .*$/m, ''));
    const override = join(__dirname, 'compose.override.yaml');
    this.compose = ['-p', PROJECT, '-f', file, '-f', override, '--project-directory', DEPLOY];
  }

  async start(): Promise<void> {
    await this.engine.run('docker-compose', [...this.compose, 'up', '--detach']);
    for (const service of Object.keys(SERVICES)) await this.untilHealthy(service);
  }

  /** Runs the script that replaces the replicas. Resolves with its output, which ends with the error where it fails. */
  upgrade(version: string, patience = '60'): Promise<string> {
    const command = ['docker-compose', ...this.compose].join(' ');
    const env = { COMPOSE: command, SHIPPING_VERSION: version, PATIENCE: patience };
    return this.engine.run(join(DEPLOY, 'upgrade.sh'), [], env).catch(String);
  }

  /** @throws where a container is not healthy in time, with the output of its last check, and then its log */
  async untilHealthy(service: string): Promise<void> {
    const status = (): Promise<string> => this.engine.inspect(service, '.State.Health.Status');
    if (await until(async () => (await status()) === 'healthy', STATE_MS, 250)) return;
    const reason = await this.engine.inspect(service, 'range .State.Health.Log}}{{println .Output}}{{end');
    throw new Error(`${service} is not healthy in time: ${reason}\n${await this.engine.logs(service)}`);
  }

  /** Checks that a container becomes healthy, and that the balancer then logs five successful responses of it. */
  async expectPart(replica: string): Promise<void> {
    await this.untilHealthy(replica);
    const success = new RegExp(`"status":200,.*"address":"${await this.engine.address(replica)}:3000"`, 'g');
    const since = new Date();
    const successes = async (): Promise<number> => {
      const log = await this.engine.logs('balancer', since);
      return [...log.matchAll(success)].length;
    };
    await checkWithin(`${replica} takes part`, async () => (await successes()) >= 5);
  }
}

/**
 * Builds the shipped image by its Dockerfile, the unit, and what stands in for images that only a public registry has,
 * under the names that the Dockerfile and the compose file have.
 */
export async function buildImages(engine: Engine): Promise<void> {
  const [, base = '', major = ''] = /^ARG NODE_IMAGE=([^:]+:(\d+)\S*)/m.exec(read('Dockerfile')) ?? [];
  const PATH = `/usr/bin:/usr/sbin:/bin:/sbin:${process.env.PATH ?? ''}`;
  const env = { PATH, HOME: homedir(), NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt' };
  await engine.run('sh', [join(__dirname, 'base.sh'), engine.folder, base, major], env);
  const shipped = imageOf(VERSION);
  const build = (name: string, ...rest: string[]): Promise<string> =>
    engine.docker('build', '--quiet', '--network', 'host', '--tag', name, ...rest, ROOT);
  const file = join(__dirname, 'stand-ins.Dockerfile');
  const standIn = ['--file', file, '--build-arg', `BASE=${base}`, '--build-arg', `SHIPPED=${shipped}`, '--target'];
  const others = ['redis', 'balancer'].flatMap((name) => ['--tag', SERVICES[name]?.image ?? '']);
  await Promise.all([build(shipped), build('stand-in', ...others, ...standIn, 'stand-in')]);
  await build('unit', ...standIn, 'unit');
}
