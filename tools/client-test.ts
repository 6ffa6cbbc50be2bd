import { deepStrictEqual, ok } from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ChromiumMissing } from '../test/browser/chromium';
import { Checks, say } from '../measure/checks';
import { checkInBrowser } from './client-browser';
import { buildClient, PACKAGE, ROOT, run, withService } from './client-steps';

/**
 * Builds and packs the TypeScript client, installs it from its tarball in an empty folder, and uses it from there: what is
 * in it, its size, that it is imported, required and resolved by compilers, and that it reads the running service.
 */

/** Of all modules together, compressed; what a bundler makes of them is smaller. */
const MAX_GZIP_BYTES = 8 * 1024;

/** What is packed beside the modules. */
const OTHERS = ['LICENSE', 'README.md', 'dist/cjs/package.json', 'dist/esm/package.json', 'package.json'];
const TARBALL = 'shipping-query-client.tgz';
const MODULES = 'node_modules/shipping-query-client/dist/esm';

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
  await withService(async (url, folder, sandboxUrl) => {
    await checks.check('the client builds', buildClient);
    await checks.check('it is packed: the builds, the README and the licence, no sources and no tests', () =>
      pack(folder),
    );
    await checks.check('npm installs it from the tarball, with no dependency', () => install(folder));
    await checks.check(`its modules have at most ${MAX_GZIP_BYTES} bytes, compressed`, () => measure(folder));
    for (const program of ['use-imported.mjs', 'use-required.cjs']) {
      await checks.check(`${program} reads the running service`, () =>
        run(process.execPath, [join(folder, program), url]),
      );
    }
    await checks.check('a page of another origin sends ordinary requests without a preflight', () =>
      inBrowser(folder, sandboxUrl),
    );
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
  deepStrictEqual(others.sort(), OTHERS);
  renameSync(join(folder, packed.filename), join(folder, TARBALL));
  say(`        ${packed.files.length} files`);
}

async function install(folder: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', `./${TARBALL}`], {
    cwd: folder,
  });
  const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  deepStrictEqual(packages, ['shipping-query-client']);
  mkdirSync(join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  cpSync(join(ROOT, 'clients/programs'), folder, { recursive: true });
  for (const name of ['consumer.mts', 'consumer.cts']) cpSync(join(folder, 'consumer.ts'), join(folder, name));
}

function measure(folder: string): Promise<void> {
  const modules = join(folder, MODULES);
  const names = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const { length } = gzipSync(names.map((name) => readFileSync(join(modules, name), 'utf8')).join('\n'));
  say(`        ${length} bytes`);
  ok(names.length > 0 && length <= MAX_GZIP_BYTES, `${length} bytes`);
  return Promise.resolve();
}

async function inBrowser(folder: string, sandboxUrl: string): Promise<void> {
  try {
    await checkInBrowser(join(folder, MODULES), sandboxUrl);
  } catch (error) {
    if (!(error instanceof ChromiumMissing)) throw error;
    say(`        skipped: ${error.message}`);
  }
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
