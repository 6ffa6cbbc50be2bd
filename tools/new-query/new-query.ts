import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './names';
import { carryOut, planQuery } from './plan';
import { MissingAnchor } from './source';

/*
 * npm run new:query -- GetShippingByCarrier [--list]
 *
 * Makes the slice of a new query, and the lines that it takes elsewhere. Nothing is written before all is worked out.
 */

const ROOT = process.cwd();
const USAGE = 'Usage: npm run new:query -- GetShippingByCarrier [--list]';

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const flags = given.filter((argument) => argument.startsWith('-'));
  const [name, ...more] = given.filter((argument) => !argument.startsWith('-'));
  const unknown = flags.find((flag) => flag !== '--list');
  if (unknown !== undefined) throw new Refusal(`There is no option ${unknown}.\n${USAGE}`);
  if (name === undefined || more.length > 0) throw new Refusal(`Exactly one name is wanted.\n${USAGE}`);
  const plan = await planQuery(ROOT, name, flags.length > 0 ? 'list' : 'single');
  carryOut(ROOT, plan);
  renewDocument();
  const files = [...plan.keys()].map((path) => `  ${path}`);
  process.stdout.write(`${name} is there:\n${files.join('\n')}\nWhat comes next: docs/adding-a-query.md\n`);
}

/** The committed document has to show the new operation too. */
function renewDocument(): void {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  if (scripts.openapi === undefined) return;
  const { status } = spawnSync('npm', ['run', '--silent', 'openapi'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.stderr.write('The OpenAPI document could not be renewed; run `npm run openapi`.\n');
}

main().catch((error: unknown) => {
  const foreseen = error instanceof Refusal || error instanceof MissingAnchor;
  process.stderr.write(`${foreseen ? `${error.message}\nNothing was changed.` : String(error)}\n`);
  process.exitCode = 1;
});
