import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { CannotGenerateError } from './names';
import { carryOut, planQuery } from './plan';
import type { Kind } from './slice';

/*
 * npm run new:query -- GetShippingByCarrier [--single | --list | --page]
 *
 * Generates the folder of a new query, its lines elsewhere, the OpenAPI document and the types of the client.
 */

const ROOT = process.cwd();
const USAGE = 'Usage: npm run new:query -- GetShippingByCarrier [--single | --list | --page]';

async function main(): Promise<void> {
  const { name, kind } = readArguments();
  const plan = await planQuery(ROOT, name, kind);
  carryOut(ROOT, plan);
  for (const script of ['generate']) {
    const { status } = spawnSync('npm', ['run', '--silent', script], {
      cwd: ROOT,
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    if (status !== 0) process.stderr.write(`npm run ${script} failed; run it again.\n`);
  }
  const files = [...plan.files.keys()].map((path) => `  ${path}`);
  process.stdout.write(`Generated ${name}:\n${files.join('\n')}\nNext steps: docs/adding-a-query.md\n`);
}

function readArguments(): { name: string; kind: Kind } {
  try {
    const flag = { type: 'boolean' } as const;
    const options = { single: flag, list: flag, page: flag };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [name, ...more] = positionals;
    const [kind = 'single', ...others] = Object.keys(values) as Kind[];
    if (name !== undefined && more.length + others.length === 0) return { name, kind };
  } catch {
    // An unknown option; the usage says which ones exist.
  }
  throw new CannotGenerateError(USAGE);
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof CannotGenerateError ? `${error.message}\nNothing was changed.` : String(error)}\n`,
  );
  process.exitCode = 1;
});
