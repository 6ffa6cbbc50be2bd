import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { type Launch, ServerProcess } from '../server-process';
import type { Case } from './sampling';
import { type ExternalPage, toPage } from './servers/mapping';

/** Cores, as `taskset` numbers them. The load generator and the external system must not slow the compared server. */
const ON_CORE = ['taskset', '--cpu-list', '0', process.execPath] as const;
const OTHER_CORES = `1-${cpus().length - 1}`;

interface CompiledServer extends Pick<Launch, 'readyAt' | 'env'> {
  readonly file: string;
}

const bench = (name: string): CompiledServer => ({ file: `reports/bench/${name}.js`, readyAt: '/' });
const SERVICE = { file: 'dist/main.js', readyAt: '/health/ready' };

/** The service, and the servers that it is compared with. */
const SERVERS = {
  service: SERVICE,
  bare: bench('bare'),
  'with libraries': bench('with-libraries'),
  'stock Nest': bench('stock-nest'),
  /** The service with its cache, and a server that returns objects that it keeps. */
  cache: { ...SERVICE, env: { CACHE_TTL_MS: '86400000' } },
  stored: bench('stored'),
} satisfies Record<string, CompiledServer>;
export type ServerName = keyof typeof SERVERS;

/** The running servers on their common core, with the external system that all call. One at a time gets requests. */
export class Comparison {
  readonly servers = new Map<ServerName, ServerProcess>();
  private requests = 0;

  private constructor(private readonly external: ServerProcess) {}

  static async start(names: readonly ServerName[]): Promise<Comparison> {
    if (cpus().length < 2) throw new Error('The benchmark needs two cores');
    // The other servers are compiled like the service: a compiler in their processes would cost them memory and time.
    execFileSync('npx', ['tsc', '-p', __dirname], { stdio: 'inherit' });
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', OTHER_CORES, String(process.pid)]);
    const entry = 'reports/bench/external-system.js';
    const external = await ServerProcess.start({ name: 'external-system', entry, readyAt: '/?PageSize=10' });
    const comparison = new Comparison(external);
    for (const name of names) comparison.servers.set(name, await comparison.startServer(name));
    return comparison;
  }

  /** Starts a server with its defaults; the address of the external system is set, and the cache where it is on. */
  startServer(name: ServerName): Promise<ServerProcess> {
    const { file, readyAt, env }: CompiledServer = SERVERS[name];
    const settings = { EXTERNAL_SHIPPING_BASE_URL: this.external.url, ...env };
    return ServerProcess.start({ name, entry: [...ON_CORE, file], readyAt, env: settings });
  }

  /** @throws Error where the server was not started */
  serverOf(name: ServerName): ServerProcess {
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(`${name} is not started`);
    return server;
  }

  /** A page of this size from each server. @throws Error naming a server that returns another body */
  async pageCases(size: number, connections: number): Promise<[ServerName, Case][]> {
    const page = await (await fetch(`${this.external.url}/?PageSize=${size}`)).json();
    const body = JSON.stringify(toPage(page as ExternalPage));
    // No two paths are alike, so that no cache makes a server look faster.
    const path = (): string => `/api/Shipping/GetShippingPagedList?PageNumber=${(this.requests += 1)}&PageSize=${size}`;
    for (const [name, { url }] of this.servers) {
      const found = await (await fetch(url + path())).text();
      if (found !== body) throw new Error(`${name} was to return\n${body}\nbut returned\n${found}`);
    }
    return [...this.servers].map(([name, server]) => [name, { server, connections, path, body }]);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values(), this.external].map((each) => each.stop()));
  }
}
