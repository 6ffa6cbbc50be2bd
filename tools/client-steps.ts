import '../test/support/silent-nest';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../src/sandbox/start-sandbox';
import { RunningService } from '../test/support/service';

/** What the scripts about the TypeScript client share. */

export const ROOT = join(__dirname, '..');
export const PACKAGE = join(ROOT, 'clients/typescript');

/** Bounds hangs. */
const PATIENCE_MS = 600_000;

/**
 * Runs a program to its end; those of the project's packages are found by name.
 *
 * @returns what it wrote to its standard output
 * @throws Error with all that it wrote, where it fails
 */
export async function run(
  program: string,
  programArguments: readonly string[],
  { cwd = ROOT }: { readonly cwd?: string } = {},
): Promise<string> {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const options = { cwd, env: { ...process.env, PATH: path }, timeout: PATIENCE_MS };
  try {
    return (await promisify(execFile)(program, programArguments, options)).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${programArguments.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}

/** Does some work with the running service, on a sandbox of its own, and a temporary folder. */
export async function withService(work: (url: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shipping-client-'));
  const sandbox = await startSandbox({ port: 0, records: 300, variant: 'extended' });
  const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: sandbox.url, LOG_LEVEL: 'warn' });
  try {
    await work(service.url, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await service.close();
    await sandbox.stop();
  }
}

/** Compiles the client to ES modules and CommonJS, each with its types. */
export async function buildClient(): Promise<void> {
  rmSync(join(PACKAGE, 'dist'), { recursive: true, force: true });
  for (const [kind, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
    await run('tsc', ['-p', join(PACKAGE, `tsconfig.${kind}.json`)]);
    const folder = join(PACKAGE, 'dist', kind);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.d.ts')) nameCompiledModules(join(folder, name));
    }
  }
}

/** The compiler rewrites `./x.ts` in programs, but leaves it in declarations, where older compilers refuse it. */
function nameCompiledModules(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'));
}
