import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export const ROOT = join(__dirname, '..');
/** Bounds hangs. */
const PATIENCE_MS = 600_000;

/**
 * Runs a program in a folder to its end; those of the project's packages are found by name.
 *
 * @returns what it wrote to its standard output
 * @throws Error with all that it wrote, where it fails
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
