import { strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ServerProcess } from '../measure/server-process';

export const ROOT = join(__dirname, '..');
/** A program that takes longer than this is ended, because it hangs. */
const PATIENCE_MS = 600_000;

/**
 * Runs a program in a folder until it ends; `tsc` and other programs of installed packages are found, too.
 *
 * @returns its standard output
 * @throws Error with its whole output, where it fails
 */
export async function run(cwd: string, program: string, ...programArguments: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}` };
  try {
    return (await promisify(execFile)(program, programArguments, { cwd, env, timeout: PATIENCE_MS })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${programArguments.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}

/** Packs a package. Resolves with the path of the tarball, and the paths of the files in it. */
export async function pack(from: string, to: string, ...options: readonly string[]): Promise<[string, string[]]> {
  const output = await run(from, 'npm', 'pack', '--json', '--pack-destination', to, ...options);
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  return [join(to, filename), files.map(({ path }) => path)];
}

/** Runs a program of the built service while `use` calls it. @throws Error where it does not end with 0 */
export async function whileRunning(
  entry: string,
  env: object,
  use: (url: string) => Promise<unknown>,
  cwd?: string,
): Promise<void> {
  const launch = { name: 'service', entry: [process.execPath, entry], readyAt: '/health/ready', cwd } as const;
  const service = await ServerProcess.start({ ...launch, env: { NODE_ENV: 'development', ...env } });
  try {
    await use(service.url);
  } finally {
    strictEqual(await service.stop(), 0);
  }
}
