import { deepStrictEqual, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checks, ROOT, run, say } from '../client-steps';
import { GENERATORS, type Generator } from './generators';
import { largestMockList, nameFaults, namesIn, type DocumentedNames } from './names';

/*
 * Generates TypeScript from openapi.json with the usual generators, and checks that it compiles and has the names of the
 * document. Generators that need a newer Node are skipped. The last line counts the checks.
 */

const DOCUMENT = join(ROOT, 'openapi.json');
const MAX_MOCK_LIST = 1000;

interface Document {
  readonly paths: Readonly<Record<string, { readonly get: { readonly operationId: string } }>>;
  readonly components: { readonly schemas: object };
}

async function main(): Promise<void> {
  const checks = new Checks();
  const folder = mkdtempSync(join(tmpdir(), 'generators-'));
  try {
    const supported = GENERATORS.filter(isSupported).map((generator) => {
      const [installed, output] = [join(folder, generator.name, 'packages'), join(folder, generator.name, 'output')];
      return { generator, folders: { installed, output }, installation: install(generator, installed) };
    });
    await Promise.allSettled(supported.map(({ installation }) => installation));
    for (const { generator, folders, installation } of supported) {
      await checks.check(`${generator.name} generates`, async () => {
        await installation;
        mkdirSync(folders.output, { recursive: true });
        await generator.generate(DOCUMENT, folders);
      });
      await checkCode(checks, generator, folders.output);
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

async function install({ packages, overrides }: Generator, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  if (packages.length === 0) return;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', ['install', ...options, ...packages], { cwd: folder });
}

async function checkCode(checks: Checks, { name, files, mocks }: Generator, output: string): Promise<void> {
  await checks.check(`${name}: the code compiles`, () => compile(output, filesIn(output, files)));
  await checks.check(`${name}: it has the names of the document, and no invented ones`, () => {
    deepStrictEqual(nameFaults(namesIn(codeOf(output, files)), documentedNames()), []);
    return Promise.resolve();
  });
  if (mocks === undefined) return;
  await checks.check(`${name}: lists of its mocks have at most ${MAX_MOCK_LIST} entries`, () => {
    ok(largestMockList(codeOf(output, mocks)) <= MAX_MOCK_LIST);
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

function documentedNames(): DocumentedNames {
  const { paths, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document;
  return {
    operations: Object.values(paths).map(({ get }) => get.operationId),
    schemas: Object.keys(components.schemas),
  };
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
