import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort, ServerProcess } from '../server-process';
import { findPrograms, startBalancer, startRedis } from './programs';

const ROOT = join(__dirname, '../..');

type Variables = Readonly<Record<string, string>>;

interface ComposeFile {
  readonly services: Readonly<
    Record<string, { readonly environment?: Variables; readonly command?: readonly string[] }>
  >;
}

/**
 * What deploy/compose.yaml describes, as processes on free loopback ports: three replicas of the built service behind
 * nginx, with Redis and the sandbox. Settings, the arguments of Redis and the configuration of nginx are those deployed.
 */
export class Cluster {
  private constructor(
    readonly sandbox: ServerProcess,
    readonly redis: ServerProcess,
    readonly replicas: readonly ServerProcess[],
    readonly balancer: ServerProcess,
  ) {}

  /**
   * Starts all of it; `env` adds to, or overrides, the settings of the replicas.
   *
   * @throws Error where a program is missing, saying how to get it, or where something does not start, saying why
   */
  static async start(env: Variables = {}): Promise<Cluster> {
    const programs = findPrograms('nginx', 'redis-server');
    const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as ComposeFile;
    const started: ServerProcess[] = [];
    const note = async (member: Promise<ServerProcess>): Promise<ServerProcess> => {
      started.push(await member);
      return member;
    };
    try {
      const sandbox = await note(startSandbox(services.sandbox?.environment));
      const redis = await note(startRedis(programs['redis-server'], services.redis?.command?.slice(1) ?? []));
      const addresses = { sandbox: sandbox.url, redis: redis.url.replace('http:', 'redis:') };
      const names = Object.keys(services).filter((name) => name.startsWith('service-'));
      const starting = names.map((name) => startReplica(name, { ...withAddresses(services[name]?.environment, addresses), ...env })); // prettier-ignore
      const replicas = await Promise.all(starting.map(note));
      return new Cluster(sandbox, redis, replicas, await note(startBalancer(programs.nginx, replicas)));
    } catch (error) {
      await Promise.all(started.map((member) => member.stop()));
      throw error;
    }
  }

  /** Where clients send requests. */
  get url(): string {
    return this.balancer.url;
  }

  get members(): readonly ServerProcess[] {
    return [this.balancer, ...this.replicas, this.redis, this.sandbox];
  }

  /** Ends all of it, those who ask before those who are asked. */
  async stop(): Promise<void> {
    await this.balancer.stop('SIGQUIT');
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all([this.redis.stop(), this.sandbox.stop()]);
  }
}

async function startSandbox(env: Variables = {}): Promise<ServerProcess> {
  const port = await freePort();
  return ServerProcess.start({
    name: 'sandbox',
    entry: 'dist/sandbox/sandbox.process.js',
    port,
    env: { ...env, HOST: '127.0.0.1', SANDBOX_PORT: String(port) },
    readyAt: '/shippings/details?Limit=1',
  });
}

async function startReplica(name: string, env: Variables): Promise<ServerProcess> {
  const port = await freePort();
  return ServerProcess.start({ name, entry: 'measure/service.js', port, env, readyAt: '/health/ready' });
}

/** URLs whose hosts are names of the compose file become those of the processes here. */
function withAddresses(env: Variables = {}, addresses: Variables): Variables {
  const local = ([name, value]: [string, string]): [string, string] => {
    const host = URL.canParse(value) ? new URL(value).hostname : '';
    return [name, addresses[host] ?? value];
  };
  return Object.fromEntries(Object.entries(env).map(local));
}
