import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port';
import { HAPROXY } from '../../test/support/gateway';
import { validResponse } from '../../testing/upstream/responses';
import { ScriptedUpstream } from '../../testing/upstream/scripted-upstream';
import { ROOT, temporaryFolder } from '../checks';
import { Balancer } from '../scenario';
import { ServerProcess } from '../server-process';
import { NameServer } from './name-server';

const DEPLOY = join(ROOT, 'deploy/haproxy');
/**
 * Longer deadlines than by default: the program is the external system, and responds late where the machine is busy.
 */
const SETTINGS = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '7000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '5000',
  TRUST_PROXY: 'loopback',
};
export const READY_AT = '/api/Shipping/GetShippingInfoById/SHP-1';
/** This replica refuses requests beyond a bound that a scenario can reach. */
export const SMALL = 2;
export const SMALL_BOUND = 8;

interface Ports {
  readonly port: number;
  readonly management: number;
}

/** Replicas of the built service behind HAProxy with the deployed configuration, which finds them by a name. */
export class Cluster extends Balancer {
  readonly replicas: ServerProcess[] = [];

  private constructor(
    readonly upstream: ScriptedUpstream,
    readonly names: NameServer,
    readonly balancer: ServerProcess,
    private readonly ports: Ports,
  ) {
    super();
  }

  /** Starts the balancer alone: its name does not exist yet. */
  static async start(): Promise<Cluster> {
    const upstream = await ScriptedUpstream.start();
    upstream.respondWith(validResponse);
    const names = await NameServer.start();
    const ports = { port: await freePort(), management: await freePort() };
    return new Cluster(upstream, names, await startBalancer(names, ports), ports);
  }

  get url(): string {
    return this.balancer.url;
  }

  log(): Promise<string> {
    return Promise.resolve(this.balancer.output);
  }

  /** Starts a replica at an address of the loopback interface, in place of another or in addition. */
  async startReplica(host: string, index = this.replicas.length): Promise<void> {
    const env = {
      ...SETTINGS,
      MANAGEMENT_PORT: String(this.ports.management),
      EXTERNAL_SHIPPING_BASE_URL: this.upstream.url,
      ...(index === SMALL && { MAX_ACTIVE_REQUESTS: String(SMALL_BOUND) }),
    };
    const launch = { name: `service-${index + 1}`, entry: 'dist/main.js', readyAt: READY_AT, env };
    this.replicas[index] = await ServerProcess.start({ ...launch, host, port: this.ports.port });
    this.publish();
  }

  replica(index: number): ServerProcess {
    const replica = this.replicas[index];
    if (replica === undefined) throw new Error(`there is no replica ${index}`);
    return replica;
  }

  /** Gives the name server the addresses of all replicas that have not ended. */
  publish(): void {
    const present = this.replicas.filter(({ hasEnded }) => !hasEnded);
    this.names.addresses = present.map(({ url }) => new URL(url).hostname);
  }
}

/**
 * Starts HAProxy with the files of the compose file; only the name server and the ports differ. The name is one for
 * which also the C library has an address, 127.0.0.1, as in a network of containers: `-dG` makes it look for IPv4.
 */
async function startBalancer(names: NameServer, { port, management }: Ports): Promise<ServerProcess> {
  const file = join(temporaryFolder('shipping-cluster'), 'compose.cfg');
  const changed = readFileSync(join(DEPLOY, 'compose.cfg'), 'utf8')
    .replace('parse-resolv-conf', `nameserver scripted 127.0.0.1:${names.port}`)
    .replace('replicas:3000 check port 9090', `localhost:${port} check port ${management}`);
  writeFileSync(file, changed);
  const balancerPort = await freePort();
  const env = { LISTEN: `127.0.0.1:${balancerPort}`, METRICS_LISTEN: `127.0.0.1:${await freePort()}` };
  const entry = [HAPROXY, '-W', '-db', '-dG', '-f', join(DEPLOY, 'haproxy.cfg'), '-f', file] as const;
  return ServerProcess.start({ name: 'balancer', entry, port: balancerPort, env, readyAt: '/health/live' });
}
