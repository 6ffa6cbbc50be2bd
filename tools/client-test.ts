import { deepStrictEqual } from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient, Checks, PACKAGE, ROOT, run, say, withService } from './client-steps';

/**
 * Builds and packs the TypeScript client, unpacks it as npm would install it, and uses it from there: what is in it, that
 * it is imported, required and resolved by compilers, and that it reads the running service.
 */

interface Packed {
  readonly filename: string;
  readonly files: readonly { path: string }[];
}

/** How programs that use the client are compiled: the module system of theirs, and whose globals they know. */
const COMPILATIONS = {
  'node16, ES modules, Node': { module: 'node16', moduleResolution: 'node16', file: 'consumer.mts', types: ['node'] },
  'node16, CommonJS, Node': { module: 'node16', moduleResolution: 'node16', file: 'consumer.cts', types: ['node'] },
  'nodenext, ES modules, Node': {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    file: 'consumer.mts',
    types: ['node'],
  },
  'bundler, browser': {
    module: 'esnext',
    moduleResolution: 'bundler',
    file: 'consumer.ts',
    lib: ['dom', 'dom.iterable'],
  },
};

async function main(): Promise<void> {
  const checks = new Checks();
  await withService(async (url, folder) => {
    await checks.check('the client builds', buildClient);
    await checks.check('it is packed: the builds, the README and the licence, no sources and no tests', () =>
      pack(folder),
    );
    for (const program of ['use-imported.mjs', 'use-required.cjs']) {
      await checks.check(`${program} reads the running service`, () =>
        run(process.execPath, [join(folder, program), url]),
      );
    }
    for (const [name, compilation] of Object.entries(COMPILATIONS)) {
      await checks.check(`types resolve and hold: ${name}`, () => compile(folder, compilation));
    }
  });
  checks.conclude();
}

async function pack(folder: string): Promise<void> {
  // `npm run` hands its settings down, `silent` among them.
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(await run('npm', packing, { cwd: PACKAGE })) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing');
  const others = packed.files.map(({ path }) => path).filter((path) => !/^dist\/(esm|cjs)\/.+\.(js|d\.ts)$/.test(path));
  deepStrictEqual(others.sort(), [
    'LICENSE',
    'README.md',
    'dist/cjs/package.json',
    'dist/esm/package.json',
    'package.json',
  ]);
  const installed = join(folder, 'node_modules/shipping-query-client');
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  cpSync(join(ROOT, 'clients/programs'), folder, { recursive: true });
  for (const name of ['consumer.mts', 'consumer.cts']) cpSync(join(folder, 'consumer.ts'), join(folder, name));
  say(`        ${packed.files.length} files`);
}

async function compile(
  folder: string,
  {
    file,
    lib = [],
    types = [],
    ...options
  }: { file: string; lib?: string[]; types?: string[]; [option: string]: unknown },
): Promise<void> {
  const strictness = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022' };
  const compilerOptions = { ...strictness, ...options, types, lib: ['es2022', ...lib] };
  const configuration = join(folder, `tsconfig.json`);
  writeFileSync(configuration, JSON.stringify({ compilerOptions, files: [file] }));
  await run('tsc', ['-p', configuration]);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
