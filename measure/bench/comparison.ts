import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { type Launch, ServerProcess } from '../server-process';
import type { Case } from './sampling';

/**
 * The compared server runs alone on core 0. This process, with the load generator, and the external system move to the
 * other cores, so that they do not slow the server.
 */
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
  'stock Nest': bench('nest'),
  /** The service with its cache, and a server of Nest that returns objects that it keeps. */
  cache: { ...SERVICE, env: { CACHE_TTL_MS: '86400000' } },
  'plainest Nest': { ...bench('nest'), env: { KEEPS: 'true' } },
} satisfies Record<string, CompiledServer>;

/** What is compared with others: a server, and what its clients send. */
export interface Subject {
  readonly name: string;
  readonly server: keyof typeof SERVERS;
  /** Whether all requests are the same; by default no two paths are alike, so that no cache makes a server look faster. */
  readonly isSame?: boolean;
  readonly headers?: (etag: string) => Readonly<Record<string, string>>;
  readonly status?: number;
}

export interface Load {
  readonly title: string;
  /** The path of all requests, which ends before the value of its last parameter. */
  readonly path: string;
}

/** The running servers on their common core, with the external system that all call. One at a time gets requests. */
export class Comparison {
  private readonly servers = new Map<string, ServerProcess>();
  private requests = 1;

  private constructor(
    private readonly external: ServerProcess,
    private readonly subjects: readonly Subject[],
  ) {}

  static async start(subjects: readonly Subject[]): Promise<Comparison> {
    if (cpus().length < 2) throw new Error('The benchmark needs two cores');
    // The other servers are compiled like the service: a compiler in their processes would cost them memory and time.
    execFileSync('npx', ['tsc', '-p', __dirname], { stdio: 'inherit' });
    execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', OTHER_CORES, String(process.pid)]);
    const entry = [process.execPath, 'reports/bench/external-system.js'] as const;
    const external = await ServerProcess.start({ name: 'external-system', entry, readyAt: '/?PageSize=10' });
    const comparison = new Comparison(external, subjects);
    const names = new Set(subjects.map(({ server }) => server));
    for (const name of names) comparison.servers.set(name, await comparison.startServer(name));
    return comparison;
  }

  get externalUrl(): string {
    return this.external.url;
  }

  /** Starts a server with its defaults; the address of the external system is set, and the cache where it is on. */
  private startServer(name: Subject['server']): Promise<ServerProcess> {
    const { file, readyAt, env }: CompiledServer = SERVERS[name];
    const settings = { EXTERNAL_SHIPPING_BASE_URL: this.external.url, ...env };
    return ServerProcess.start({ name, entry: [...ON_CORE, file], readyAt, env: settings });
  }

  /** The load on each subject. @throws Error naming one whose body is not that of the first */
  async casesOf({ path }: Load): Promise<[string, Case][]> {
    const cases: [string, Case][] = [];
    let [body, etag] = ['', ''];
    for (const { name, server, isSame = false, headers, status } of this.subjects) {
      const process = this.servers.get(server);
      if (process === undefined) throw new Error(`${server} is not started`);
      const ownPath = (): string => `${path}${isSame ? 1 : (this.requests += 1)}`;
      const response = await fetch(process.url + ownPath());
      const found = await response.text();
      if (cases.length === 0) [body, etag] = [found, response.headers.get('ETag') ?? ''];
      const completeness = response.headers.get('Shipping-Completeness') ?? 'complete';
      if (!completeness.startsWith('complete'))
        throw new Error(`${name} was to return a complete result, but it is ${completeness}`);
      if (found !== body) throw new Error(`${name} was to return\n${body}\nbut returned\n${found}`);
      const expected = headers === undefined ? { body } : { headers: headers(etag), status };
      cases.push([name, { server: process, path: ownPath, ...expected }]);
    }
    return cases;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values(), this.external].map((each) => each.stop()));
  }
}
