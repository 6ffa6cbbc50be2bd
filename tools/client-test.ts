import { deepStrictEqual } from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checks, runProgram } from '../measure/checks';
import { PACKAGE, ROOT, run, withService } from './client-steps';

/**
 * Packs the TypeScript client, installs it from its tarball in an empty folder, and uses it from there as an ES module and
 * from CommonJS, with its types.
 */

/** What is packed beside the modules. */
const OTHERS = ['LICENSE', 'README.md', 'dist/cjs/package.json', 'dist/esm/package.json', 'package.json'];
const TARBALL = 'shipping-query-client.tgz';

interface Packed {
  readonly filename: string;
  readonly files: readonly { path: string }[];
}

/** How programs that use the client are compiled. */
const COMPILATIONS = {
  'node16, ES modules': { module: 'node16', file: 'consumer.mts', types: ['node'] },
  'node16, CommonJS': { module: 'node16', file: 'consumer.cts', types: ['node'] },
  'bundler, browser': { module: 'esnext', moduleResolution: 'bundler', file: 'consumer.ts', lib: ['dom', 'dom.iterable'] },
}; // prettier-ignore

const checks = new Checks();

function main(): Promise<void> {
  return withService(async (url, folder) => {
    await checks.check('it is packed: the builds, the README and the licence, no sources and no tests', () => pack(folder)); // prettier-ignore
    await checks.check('npm installs it from the tarball, with no dependency', () => install(folder));
    for (const program of ['use-imported.mjs', 'use-required.cjs']) {
      await checks.check(`${program} reads the running service`, () =>
        run(process.execPath, [join(folder, program), url]),
      );
    }
    for (const [name, { file, lib = [], ...options }] of Object.entries<Compilation>(COMPILATIONS)) {
      await checks.check(`types resolve and hold: ${name}`, () => compile(folder, file, { lib: ['es2022', ...lib], ...options })); // prettier-ignore
    }
  });
}

interface Compilation {
  readonly file: string;
  readonly lib?: readonly string[];
  readonly types?: readonly string[];
}

async function pack(folder: string): Promise<void> {
  // Its script `prepack` compiles. `npm run` hands its settings down, `silent` among them.
  const packing = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', folder];
  const [packed] = JSON.parse(await run('npm', packing, { cwd: PACKAGE })) as [Packed];
  const others = packed.files.map(({ path }) => path).filter((path) => !/^dist\/(esm|cjs)\/.+\.(js|d\.ts)$/.test(path));
  deepStrictEqual(others.sort(), OTHERS);
  renameSync(join(folder, packed.filename), join(folder, TARBALL));
}

async function install(folder: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${TARBALL}`], { cwd: folder });
  const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  deepStrictEqual(packages, ['shipping-query-client']);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  cpSync(join(ROOT, 'clients/programs'), folder, { recursive: true });
  for (const name of ['consumer.mts', 'consumer.cts']) cpSync(join(folder, 'consumer.ts'), join(folder, name));
}

async function compile(folder: string, file: string, options: object): Promise<void> {
  const strictness = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', types: [] };
  const configuration = join(folder, 'tsconfig.json');
  writeFileSync(configuration, JSON.stringify({ compilerOptions: { ...strictness, ...options }, files: [file] }));
  await run('tsc', ['-p', configuration]);
}

void runProgram(checks, main);
