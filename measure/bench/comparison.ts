import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { PROBE, ServerProcess } from '../server-process';
import type { Case } from './sampling';

/**
 * The compared servers run on core 0, one at a time. This process, with the load generator, and the external system move
 * to the other cores, so that they do not slow the server.
 */
const ON_CORE = ['taskset', '--cpu-list', '0', process.execPath, ...PROBE] as const;

/**
 * The service with its defaults and with its cache, and what they are compared with: the last is a server of Nest that
 * returns objects that it keeps.
 */
const SERVERS = {
  service: { file: 'dist/main.js', env: {} },
  cache: { file: 'dist/main.js', env: { CACHE_TTL_MS: '86400000' } },
  bare: { file: 'reports/bench/bare.js', env: {} },
  'stock Nest': { file: 'reports/bench/nest.js', env: {} },
  'plainest Nest': { file: 'reports/bench/nest.js', env: { KEEPS: 'true' } },
};

/** What is compared with others: a server, and what its clients send. */
export interface Subject {
  readonly name: string;
  readonly server: keyof typeof SERVERS;
  readonly headers?: (etag: string) => Readonly<Record<string, string>>;
  readonly status?: number;
}

let requests = 1;

/** Compiles the servers, leaves core 0 to them, and resolves with the address of the external system that all call. */
export async function prepare(): Promise<string> {
  if (cpus().length < 2) throw new Error('The benchmark needs two cores');
  // The other servers are compiled like the service: a compiler in their processes would cost them memory and time.
  execFileSync('npx', ['tsc', '-p', __dirname], { stdio: 'inherit' });
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', `1-${cpus().length - 1}`, String(process.pid)]);
  const entry = [process.execPath, 'reports/bench/external-system.js'] as const;
  const { url } = await ServerProcess.start({ name: 'external-system', entry, readyAt: '/?PageSize=10' });
  return url;
}

/**
 * Starts a server for each subject. No two paths are alike, so that no cache makes a server look faster, but for hits.
 *
 * @param path of all requests, which ends before the value of its last parameter
 * @throws Error naming a subject whose body is not that of the first
 */
export async function startCases(subjects: readonly Subject[], path: string, external: string): Promise<Case[]> {
  const cases: Case[] = [];
  let [body, etag] = ['', ''];
  for (const { name, server: serverName, headers, status = 200 } of subjects) {
    const { file, env } = SERVERS[serverName];
    const settings = { EXTERNAL_SHIPPING_BASE_URL: external, ...env };
    const server = await ServerProcess.start({ name, entry: [...ON_CORE, file], readyAt: '/', env: settings });
    const isOfHits = serverName === 'cache' || serverName === 'plainest Nest';
    const ownPath = (): string => `${path}${isOfHits ? 1 : (requests += 1)}`;
    const response = await fetch(server.url + ownPath());
    const found = await response.text();
    if (cases.length === 0) [body, etag] = [found, response.headers.get('ETag') ?? ''];
    const completeness = response.headers.get('Shipping-Completeness') ?? 'complete';
    if (!completeness.startsWith('complete'))
      throw new Error(`${name} was to return a complete result, but it is ${completeness}`);
    if (found !== body) throw new Error(`${name} was to return\n${body}\nbut returned\n${found}`);
    const expected = headers === undefined ? { body } : { headers: headers(etag) };
    cases.push({ name, server, path: ownPath, status, ...expected });
  }
  return cases;
}
