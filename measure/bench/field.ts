import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Case } from './cases';
import { ServerProcess } from '../server-process';
import type { Traffic } from './load';
import { findPinning, pin, type Pinning } from './machine';
import type { AnchorName, Lane, ServerName } from './rounds';
import { SERVICE, type Start } from './service';

const ROOT = join(__dirname, '../..');
const STOCK_SOURCES = 'measure/bench/stock-nest';
const STOCK_BUILD = 'reports/bench/stock-nest';

const ENTRIES: Readonly<Record<AnchorName, () => string>> = {
  'hand-written': () => 'measure/bench/handwritten.js',
  'with libraries': () => 'measure/bench/with-libraries.js',
  'stock Nest': buildStockNest,
};

/** The servers that are compared, with the external system that they all call. */
export class Field {
  private readonly expected = new Map<Case, string>();

  private constructor(
    readonly external: ServerProcess,
    private readonly servers: ReadonlyMap<ServerName, ServerProcess>,
  ) {}

  /** Starts them, each on the same core; only one is loaded at a time. */
  static async start(names: readonly ServerName[], pinning: Pinning | null = findPinning()): Promise<Field> {
    if (pinning !== null) pin(process.pid, pinning.others);
    const external = await startExternalSystem();
    const servers = new Map<ServerName, ServerProcess>();
    for (const name of names) servers.set(name, await startServer(name, external, pinning));
    return new Field(external, servers);
  }

  get names(): readonly ServerName[] {
    return [...this.servers.keys()];
  }

  server(name: ServerName): ServerProcess {
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(`There is no ${name} here`);
    return server;
  }

  /** Traffic of one kind to a server whose response was checked first. */
  async lane(name: ServerName, kind: Case, connections: number, options: Partial<Traffic> = {}): Promise<Lane> {
    const server = this.server(name);
    const expected = await this.expectedOf(kind);
    const response = await text(`${server.url}${kind.nextPath()}`);
    if (response !== expected)
      throw new Error(`${kind.title}: ${name} was to return\n${expected}\nbut returned\n${response}`);
    const completeness = name === 'service' ? kind.completeness : undefined;
    const isRight = (body: string): boolean => body === expected;
    const traffic = { nextPath: kind.nextPath, isRight, completeness, connections, ...options };
    return { server: name, label: kind.title, processes: [server], traffic };
  }

  /** The external system asked directly, by the same generator. */
  async externalLane(kind: Case, connections: number): Promise<Lane> {
    const expected = await text(this.external.url + kind.externalPath);
    const traffic = { nextPath: () => kind.externalPath, isRight: (body: string) => body === expected, connections };
    return { server: 'external system', label: kind.title, processes: [this.external], traffic };
  }

  async bytesOf(kind: Case): Promise<number> {
    return Buffer.byteLength(await this.expectedOf(kind));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values(), this.external].map((each) => each.stop()));
  }

  private async expectedOf(kind: Case): Promise<string> {
    const expected = this.expected.get(kind) ?? kind.responseTo(await text(this.external.url + kind.externalPath));
    this.expected.set(kind, expected);
    return expected;
  }
}

export function startExternalSystem(env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'external-system',
    entry: 'measure/bench/upstream.js',
    env,
    readyAt: '/shippings/paged?PageSize=1',
  });
}

/** A server as an operator starts it, with nothing set but where the external system is, and what `env` adds. */
export function startServer(
  name: ServerName,
  external: ServerProcess,
  pinning: Pinning | null,
  start: Start = startOf(name),
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return ServerProcess.start({
    ...start,
    name: name.replace(' ', '-'),
    env: { EXTERNAL_SHIPPING_BASE_URL: external.url, ...env },
    cores: pinning?.server,
  });
}

function startOf(name: ServerName): Start {
  if (name === 'service') return SERVICE;
  return { entry: ENTRIES[name](), readyAt: '/' };
}

/** Compiles it with the settings of the project, as `nest build` would: no server carries a compiler along. */
function buildStockNest(): string {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  mkdirSync(join(ROOT, STOCK_BUILD), { recursive: true });
  for (const name of readdirSync(join(ROOT, STOCK_SOURCES))) {
    const fileName = join(ROOT, STOCK_SOURCES, name);
    const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { compilerOptions: options, fileName });
    writeFileSync(join(ROOT, STOCK_BUILD, name.replace(/\.ts$/, '.js')), outputText);
  }
  return join(STOCK_BUILD, 'main.js');
}

/** A service that another process has kept from its core sheds requests for a second: it is asked again. */
async function text(url: string, tries = 5): Promise<string> {
  const response = await fetch(url);
  if (response.status === 200) return response.text();
  if (response.status !== 503 || tries === 1) throw new Error(`${url} responded with ${response.status}`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return text(url, tries - 1);
}
