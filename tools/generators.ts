import { deepStrictEqual, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checks, say } from '../measure/checks';
import { ROOT, run } from './client-steps';

/*
 * Generates TypeScript from openapi.json with the usual generators, and checks that it compiles and has the names of the
 * document. Generators that need a newer Node are skipped. The last line counts the checks.
 */

/** A generator of TypeScript clients. */
interface Generator {
  readonly name: string;
  /** Packages with exact versions; none where the project has the generator among its own. */
  readonly packages: readonly string[];
  /** The lowest Node it runs on, as major and minor version. */
  readonly lowestNode: readonly [major: number, minor: number];
  /** Files with names that users see, and that a compiler has to accept. */
  readonly files: RegExp;
  /** Files with mocks. */
  readonly mocks?: RegExp;
  /** @param installed folder with the packages of all generators */
  generate(installed: string, output: string): Promise<unknown>;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>;
  readonly components: { readonly schemas: object };
}

const DOCUMENT = join(ROOT, 'openapi.json');
const MAX_MOCK_LIST = 1000;
/** Versions of indirect dependencies, of which generators allow ranges. */
const OVERRIDES = { '@scalar/openapi-parser': '0.28.11' };
const NO_TELEMETRY = { DO_NOT_TRACK: '1', KUBB_DISABLE_TELEMETRY: '1' };
/** Names that generators invent: numbered ones other than statuses, and parts of a composition. */
const INVENTED = /(?<!\d)\d{1,2}$|Enum\d|(?:any|all|one)Of|\d{3}(?:One|Two|Three)/i;
/** Exports, and members of the types of openapi-typescript. */
const NAMES =
  /^export (?:declare |abstract |async )*(?:const|type|interface|enum|function|class) (\w+)|^ {4}(\w+): \{$/gm;

const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
    lowestNode: [20, 19],
    files: /\.ts$/,
    generate: (installed, output) => {
      const styles = ['--enum', '--root-types', '--root-types-no-schema-prefix'];
      return run(bin(installed, 'openapi-typescript'), [DOCUMENT, '-o', join(output, 'api.ts'), ...styles]);
    },
  },
  {
    name: '@hey-api/openapi-ts',
    packages: [],
    lowestNode: [20, 19],
    files: /^(types|sdk)\.gen\.ts$/,
    generate: (_, output) => run('openapi-ts', ['-i', DOCUMENT, '-o', output, '--no-log-file', '--silent']),
  },
  {
    name: 'orval',
    packages: ['orval@8.30.0'],
    lowestNode: [22, 18],
    // The mocks need packages of their own.
    files: /(?<!\.faker|\.msw)\.ts$/,
    mocks: /\.faker\.ts$/,
    generate: generateWithOrval,
  },
  {
    name: 'kubb',
    packages: ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((part) => `@kubb/${part}@4.39.3`),
    lowestNode: [20, 19],
    files: /^(types|clients)\/.*\.ts$/,
    generate: generateWithKubb,
  },
];

function generateWithOrval(installed: string, output: string): Promise<string> {
  const target = { target: join(output, 'api.ts'), schemas: join(output, 'model') };
  const config = { shipping: { input: DOCUMENT, output: { ...target, client: 'fetch', mode: 'split', mock: true } } };
  writeFileSync(join(installed, 'orval.config.mjs'), `export default ${JSON.stringify(config)};`);
  return run(bin(installed, 'orval'), ['--config', 'orval.config.mjs'], { cwd: installed });
}

function generateWithKubb(installed: string, output: string): Promise<string> {
  const config = { root: installed, input: { path: DOCUMENT }, output: { path: output, clean: true } };
  const text = `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
const plugins = [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch', bundle: true })];
export default defineConfig({ ...${JSON.stringify(config)}, plugins });`;
  writeFileSync(join(installed, 'kubb.config.mjs'), text);
  const given = ['generate', '--config', 'kubb.config.mjs'];
  return run(bin(installed, 'kubb'), given, { cwd: installed, env: NO_TELEMETRY });
}

function bin(installed: string, name: string): string {
  return join(installed, 'node_modules/.bin', name);
}

async function main(): Promise<void> {
  const checks = new Checks();
  const folder = mkdtempSync(join(tmpdir(), 'generators-'));
  try {
    const supported = GENERATORS.filter(isSupported);
    await checks.check('they are installed', () => install(supported, folder));
    for (const generator of supported) {
      const output = join(folder, 'output', generator.name);
      mkdirSync(output, { recursive: true });
      await checks.check(`${generator.name} generates`, () => generator.generate(folder, output));
      await checkCode(checks, generator, output);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  checks.conclude();
}

/** Reports a generator that this Node cannot run. */
function isSupported({ name, lowestNode: [major, minor] }: Generator): boolean {
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split('.').map(Number);
  const supported = ownMajor > major || (ownMajor === major && ownMinor >= minor);
  if (!supported) say(`skipped ${name}: it needs Node ${major}.${minor}`);
  return supported;
}

function install(generators: readonly Generator[], folder: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides: OVERRIDES }));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  return run('npm', ['install', ...options, ...generators.flatMap(({ packages }) => packages)], { cwd: folder });
}

async function checkCode(checks: Checks, { name, files, mocks }: Generator, output: string): Promise<void> {
  await checks.check(`${name}: the code compiles`, () => compile(output, filesIn(output, files)));
  await checks.check(`${name}: it has the names of the document, and no invented ones`, () => {
    const names = [...codeOf(output, files).matchAll(NAMES)].map(([, exported, member]) => exported ?? member ?? '');
    const missing = documentedNames().filter((documented) => !names.includes(documented));
    deepStrictEqual({ missing, invented: names.filter((each) => INVENTED.test(each)) }, { missing: [], invented: [] });
    return Promise.resolve();
  });
  if (mocks === undefined) return;
  await checks.check(`${name}: lists of its mocks have at most ${MAX_MOCK_LIST} entries`, () => {
    const lengths = codeOf(output, mocks).matchAll(/length: faker\.number\.int\(\{\s*min: \d+, max: (\d+)/g);
    const largest = Math.max(...[...lengths].map(([, max]) => Number(max)));
    ok(largest > 0 && largest <= MAX_MOCK_LIST, `the largest has ${largest}`);
    return Promise.resolve();
  });
}

function filesIn(folder: string, names: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => names.test(name));
}

function codeOf(folder: string, names: RegExp): string {
  return filesIn(folder, names)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

async function compile(folder: string, files: readonly string[]): Promise<void> {
  ok(files.length > 0, 'no file was generated');
  const compilerOptions = {
    ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] },
    ...{ target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run('tsc', ['-p', folder]);
}

function documentedNames(): string[] {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  return [...Object.values(paths).map(({ get }) => get.operationId), ...Object.keys(components.schemas)];
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
