import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { Refusal } from './names';
import { carryOut, planQuery } from './plan';

/*
 * npm run new:query -- GetShippingByCarrier [--list]
 *
 * Generates the folder of a new query, its lines elsewhere, and the OpenAPI document.
 */

const ROOT = process.cwd();
const USAGE = 'Usage: npm run new:query -- GetShippingByCarrier [--list]';

async function main(): Promise<void> {
  const { name, list } = readArguments();
  const plan = await planQuery(ROOT, name, list ? 'list' : 'single');
  carryOut(ROOT, plan);
  const { status } = spawnSync('npm', ['run', '--silent', 'openapi'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.stderr.write('openapi.json was not written; run `npm run openapi`.\n');
  const files = [...plan.files.keys()].map((path) => `  ${path}`);
  process.stdout.write(`Generated ${name}:\n${files.join('\n')}\nNext steps: docs/adding-a-query.md\n`);
}

function readArguments(): { name: string; list: boolean } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
    const [name, ...more] = positionals;
    if (name !== undefined && more.length === 0) return { name, list: values.list === true };
  } catch {
    // An unknown option; the usage says which ones exist.
  }
  throw new Refusal(USAGE);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Refusal ? `${error.message}\nNothing was changed.` : String(error)}\n`);
  process.exitCode = 1;
});
