import { strictEqual } from 'node:assert/strict';
import { delimiter, join } from 'node:path';
import { execute, ROOT } from '../measure/checks';
import { ServerProcess } from '../measure/server-process';

/**
 * Runs a program in a folder until it ends; `tsc` and other programs of installed packages are found, too.
 *
 * @returns its standard output
 * @throws Error with its whole output, where it fails
 */
export function run(cwd: string, program: string, ...rest: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}` };
  return execute(program, rest, { cwd, env });
}

/** Packs a package. Resolves with the path of the tarball, and the paths of the files in it. */
export async function pack(from: string, to: string, ...options: readonly string[]): Promise<[string, string[]]> {
  const output = await run(from, 'npm', 'pack', '--json', '--pack-destination', to, ...options);
  const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  return [join(to, filename), files.map(({ path }) => path)];
}

type Use = (url: string) => Promise<unknown>;

/** Runs the application of a folder while `use` calls it. @throws Error where it does not end with 0 */
export async function whileRunning(cwd: string, env: object, use: Use, program = ['dist/main.js']): Promise<void> {
  const launch = { name: 'service', entry: [process.execPath, ...program], readyAt: '/health/ready', cwd } as const;
  const service = await ServerProcess.start({ ...launch, env: { NODE_ENV: 'development', ...env } });
  try {
    await use(service.url);
  } finally {
    strictEqual(await service.stop(), 0);
  }
}
