import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Launch, ServerProcess } from '../server-process';
import type { Case } from './cases';
import { type Cores, pin, shareCores } from './machine';

const ROOT = join(__dirname, '../..');
const SOURCES = 'measure/bench/servers';
const BUILD = 'reports/bench';

const LAUNCHES = {
  service: { entry: 'measure/service.js', readyAt: '/health/ready' },
  'hand-written': { entry: `${BUILD}/hand-written.js`, readyAt: '/' },
  'with libraries': { entry: `${BUILD}/with-libraries.js`, readyAt: '/' },
  'stock Nest': { entry: `${BUILD}/stock-nest/main.js`, readyAt: '/' },
} as const satisfies Readonly<Record<string, Pick<Launch, 'entry' | 'readyAt'>>>;

export type ServerName = keyof typeof LAUNCHES;

/** The service, and the servers that it is compared with. */
export const SERVERS = Object.keys(LAUNCHES) as ServerName[];

/** The running servers, each on the same core, with the external system that they all call. Only one is loaded at a time. */
export class Comparison {
  private constructor(
    private readonly external: ServerProcess,
    readonly servers: ReadonlyMap<ServerName, ServerProcess>,
  ) {}

  static async start(names: readonly ServerName[]): Promise<Comparison> {
    buildServers();
    const cores = shareCores();
    pin(process.pid, cores.others);
    const external = await ServerProcess.start({
      name: 'external-system',
      entry: `${BUILD}/external-system.js`,
      readyAt: '/shippings/paged?PageSize=1',
    });
    const servers = new Map<ServerName, ServerProcess>();
    for (const name of names) servers.set(name, await startServer(name, external.url, cores));
    return new Comparison(external, servers);
  }

  /** The body that all servers have to return. @throws Error naming one that returns another */
  async bodyOf({ title, nextPath, externalPath, responseTo }: Case): Promise<string> {
    const expected = JSON.stringify(responseTo(JSON.parse(await text(this.external.url + externalPath))));
    for (const [name, { url }] of this.servers) {
      const body = await text(url + nextPath());
      if (body !== expected) throw new Error(`${title}: ${name} was to return\n${expected}\nbut returned\n${body}`);
    }
    return expected;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers.values(), this.external].map((each) => each.stop()));
  }
}

/** As an operator starts it, with nothing set but where the external system is. */
function startServer(name: ServerName, externalUrl: string, cores: Cores): Promise<ServerProcess> {
  const env = { EXTERNAL_SHIPPING_BASE_URL: externalUrl };
  return ServerProcess.start({ ...LAUNCHES[name], name: name.replace(' ', '-'), env, cores: cores.server });
}

/** Compiles them with the settings of the project: no server carries a compiler along. */
function buildServers(): void {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const names = readdirSync(join(ROOT, SOURCES), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((each) => each.endsWith('.ts'))) {
    const fileName = join(ROOT, SOURCES, name);
    const { outputText } = ts.transpileModule(readFileSync(fileName, 'utf8'), { compilerOptions: options, fileName });
    const output = join(ROOT, BUILD, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, outputText);
  }
}

/** A service that another process has kept from its core sheds requests for a second: it is asked again. */
async function text(url: string, tries = 5): Promise<string> {
  const response = await fetch(url);
  if (response.status === 200) return response.text();
  if (response.status !== 503 || tries === 1) throw new Error(`${url} responded with ${response.status}`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return text(url, tries - 1);
}
