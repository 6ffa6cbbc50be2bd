import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../../testing/upstream/eventually';
import { freePort } from '../../support/free-port';
import { RedisServer } from './redis-server';

const run = promisify(execFile);

/** A real Redis Cluster on loopback, made by `redis-cli --cluster create`: three primaries, and a replica of each. */
export class RedisCluster {
  private constructor(
    readonly servers: readonly RedisServer[],
    private readonly folder: string,
  ) {}

  static async start(password?: string): Promise<RedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
    const servers: RedisServer[] = [];
    for (let index = 0; index < 6; index += 1) {
      const file = join(folder, `nodes-${index}.conf`);
      const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', file, '--cluster-node-timeout', '1500'];
      const secret = password === undefined ? [] : ['--masterauth', password];
      const port = ['--cluster-port', String(await freePort())];
      servers.push(await RedisServer.start(password, ...cluster, ...port, ...secret));
    }
    const nodes = servers.map(({ port }) => `127.0.0.1:${port}`);
    const env = { ...process.env, ...(password !== undefined && { REDISCLI_AUTH: password }) };
    await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'], { env });
    const cluster = new RedisCluster(servers, folder);
    const isReplica = async ({ inside }: RedisServer): Promise<boolean> =>
      /role:slave[^]*master_link_status:up/.test(await inside.info('replication'));
    await cluster.inOrder(servers);
    for (const server of servers.slice(3)) await eventually('the server is a replica', () => isReplica(server));
    return cluster;
  }

  /** Waits until these of its nodes know that all of it works. */
  async inOrder(servers: readonly RedisServer[]): Promise<void> {
    for (const { inside } of servers) {
      const isInOrder = async (): Promise<boolean> => (await inside.cluster('INFO')).includes('cluster_state:ok');
      await eventually('the cluster is in order', isInOrder);
    }
  }

  /** The value of the setting `REDIS_URL`, with three of the nodes. */
  url(user = ''): string {
    const nodes = this.servers.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
    return `redis://${user}${nodes.join()}`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    rmSync(this.folder, { recursive: true });
  }
}
