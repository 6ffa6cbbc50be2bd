import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from '../../test/deploy/support/files';
import { COMPOSE } from '../../test/deploy/support/manifests';
import { type Checks, ROOT, until } from '../checks';
import { Balancer } from '../scenario';
import type { Engine } from './engine';

const DEPLOY = join(ROOT, 'deploy');
const PROJECT = 'shipping-query-service';
const WAIT_MS = 90_000;

export const REPLICAS = ['service-1', 'service-2', 'service-3'] as const;
export const { services: SERVICES } = COMPOSE as { readonly services: Readonly<Record<string, { image: string }>> };
/** The version that the compose file names. */
export const [, VERSION = ''] = /:-(\S+)\}$/.exec(SERVICES['service-1']?.image ?? '') ?? [];
export const imageOf = (version: string): string => `shipping-query-service:${version}`;

/** The started compose file. */
export class Stack extends Balancer {
  readonly url = 'http://127.0.0.1:8080';
  override readonly path = '/api/Shipping/GetShippingPagedList?PageSize=20';
  private readonly compose: readonly string[];

  constructor(
    checks: Checks,
    readonly engine: Engine,
  ) {
    super(checks);
    // The compose of Debian does not know the name of a project.
    const file = join(engine.folder, 'compose.yaml');
    writeFileSync(file, read('deploy/compose.yaml').replace(/^name: .*$/m, ''));
    this.compose = ['-p', PROJECT, '-f', file, '--project-directory', DEPLOY];
  }

  log(): Promise<string> {
    return this.engine.logs(this.container('balancer'));
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

  docker(command: string, service: string, ...rest: string[]): Promise<string> {
    return this.engine.docker(command, ...rest, this.container(service));
  }

  /** Runs a command in a container. */
  exec(service: string, ...command: string[]): Promise<string> {
    return this.engine.docker('exec', this.container(service), ...command);
  }

  inspect(service: string, field: string): Promise<string> {
    return this.engine.inspect(this.container(service), field);
  }

  /** The network of all containers. */
  network(): Promise<string> {
    return this.inspect('balancer', 'range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end');
  }

  address(service: string): Promise<string> {
    return this.engine.address(this.container(service));
  }

  async restarts(service: string): Promise<number> {
    return Number(await this.inspect(service, '.RestartCount'));
  }

  /** @throws where a container is not healthy in time */
  async untilHealthy(service: string): Promise<void> {
    const isHealthy = async (): Promise<boolean> => (await this.inspect(service, '.State.Health.Status')) === 'healthy';
    if (await until(isHealthy, WAIT_MS, 250)) return;
    throw new Error(`${service} is not healthy:\n${await this.engine.logs(this.container(service))}`);
  }

  async expectPart(replica: string): Promise<void> {
    await this.untilHealthy(replica);
    await this.expectServed(replica, `${await this.address(replica)}:3000`);
  }

  private container(service: string): string {
    return `${PROJECT}_${service}_1`;
  }
}
