import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULE, SANDBOX } from './edits';
import { namesOf } from './names';
import { planQuery } from './plan';
import { ProjectCopy, type Outcome } from './project-copy';
import { checkRunning, type Check } from './running';

/*
 * Follows docs/adding-a-query.md on a copy of the project: refusals, generation, compiler, lint, tests, requests to the
 * running service, removal. The last line counts the checks.
 */

const ROOT = process.cwd();
const RECIPE = readFileSync(join(ROOT, 'docs/adding-a-query.md'), 'utf8');
/** The two queries of the recipe: a single lookup and a list. */
const [SINGLE = '', LIST = ''] = [...RECIPE.matchAll(/^npm run new:query -- (\w+)/gm)].map(([, name]) => name);
const FURTHER = [['ListOrders2'], ['SearchShippingsByTheVeryLongNameOfTheirCarriers', '--list']];
const NAMES = [SINGLE, LIST, ...FURTHER.map(([name = '']) => name)].map(namesOf);
const FOLDERS = NAMES.map(({ kebab }) => `src/shipping/queries/${kebab}`);

/** Invalid or taken names, and what the refusal says. */
const REFUSED: readonly (readonly [reason: RegExp, ...names: string[]])[] = [
  [
    /PascalCase/,
    'getShippingByCarrier',
    'get-shipping-by-carrier',
    'GetShipping_ByCarrier',
    'GetSHIPPING',
    'GetShippingÄ',
  ],
  [/PascalCase/, '', '../../GetShipping', 'GetShipping/../../Evil'],
  [/must start with/, 'Get', 'ShippingByCarrier', 'DeleteShipping', 'Constructor'],
  [/ends with/, 'GetShippingQuery', 'GetShippingHandler'],
  [/60 characters/, `Get${'Long'.repeat(20)}`],
  [
    /taken/,
    'GetShippingDetails',
    'GetShippingInfoById',
    'GetShippingSingle',
    'FindShippingDetails',
    'GetShippingPaged',
  ],
];

let passed = 0;
let failed = 0;

const check: Check = (name, holds, details = '') => {
  if (holds) passed++;
  else failed++;
  process.stdout.write(holds ? `ok      ${name}\n` : `FAILED  ${name}\n${details.slice(-6000)}\n`);
};

function generate(copy: ProjectCopy, ...given: readonly string[]): Outcome {
  return copy.run('npm', 'run', '--silent', 'new:query', '--', ...given);
}

/** The second time it looks only at what has changed. */
function compile(copy: ProjectCopy): Outcome {
  return copy.run('npx', 'tsc', '--noEmit', '--incremental', '--tsBuildInfoFile', 'artifacts/tsbuildinfo');
}

async function checkRefusals(copy: ProjectCopy): Promise<void> {
  const before = copy.hash();
  for (const [reason, ...names] of REFUSED) {
    for (const name of names) {
      const refusal = await planQuery(copy.root, name, 'single').then(() => 'planned', String);
      check(`refuses ${JSON.stringify(name)}`, reason.test(refusal), refusal);
    }
  }
  for (const given of [[], [SINGLE, LIST], [SINGLE, '--paged'], ['GetShippingDetails', '--list']]) {
    const { ok, output } = generate(copy, ...given);
    check(`refuses the arguments [${given.join(' ')}]`, !ok && output.includes('Nothing was changed'), output);
  }
  check('changes nothing where it refuses', copy.hash() === before);
  for (const path of [MODULE, SANDBOX]) {
    const text = readFileSync(join(copy.root, path), 'utf8');
    writeFileSync(join(copy.root, path), 'export const nothing = 0;\n');
    const unchanged = copy.hash();
    const { ok, output } = generate(copy, SINGLE);
    check(`changes nothing where ${path} has no place for a line`, !ok && copy.hash() === unchanged && output.includes(path), output); // prettier-ignore
    writeFileSync(join(copy.root, path), text);
  }
}

function checkGeneration(copy: ProjectCopy): void {
  for (const given of [[SINGLE], [LIST, '--list'], ...FURTHER]) {
    const { ok, output } = generate(copy, ...given);
    check(`generates ${given.join(' ')}`, ok && output.includes('Wrote openapi.json'), output);
  }
  const before = copy.hash();
  for (const name of [SINGLE, 'GetShippingBycarrier']) {
    const { ok, output } = generate(copy, name);
    check(`refuses ${name} a second time`, !ok && output.includes('taken') && copy.hash() === before, output);
  }
  const document = readFileSync(join(copy.root, 'openapi.json'), 'utf8');
  for (const { pascal } of NAMES) check(`${pascal} is documented`, document.includes(`"/api/Shipping/${pascal}"`));
  const changed = [...FOLDERS, MODULE, SANDBOX];
  const accepted = ({ ok, output }: Outcome): boolean =>
    ok || (/\berror\b/.test(output) && !changed.some((path) => output.includes(path)));
  const compiled = compile(copy);
  check('the compiler accepts it', accepted(compiled), compiled.output);
  const linted = copy.run('npx', 'eslint', ...changed);
  check('ESLint accepts it', linted.ok, linted.output);
  const cruised = copy.run('npx', 'depcruise', '--config', '.dependency-cruiser.js', 'src');
  check('dependency-cruiser accepts it', accepted(cruised), cruised.output);
  const formatted = copy.run('npx', 'prettier', '--check', ...changed);
  check('prettier accepts it', formatted.ok, formatted.output);
  const tested = copy.run('npx', 'jest', '--config', 'jest.all.config.js', ...FOLDERS, 'test/sandbox/sandbox.server', 'test/contract/slices', 'test/contract/architecture'); // prettier-ignore
  check('its tests and those of the sandbox pass', tested.ok, tested.output);
  const built = copy.run('npm', 'run', '--silent', 'build');
  check('it builds', built.ok, built.output);
}

/** Deletes the folders, and each line and path that names them. */
function checkRemoval(copy: ProjectCopy, original: string): void {
  for (const folder of FOLDERS) rmSync(join(copy.root, folder), { recursive: true });
  const compiled = compile(copy).output;
  for (const { kebab } of NAMES) check(`the compiler names the line of ${kebab}`, compiled.includes(`${kebab}.module`));
  const edit = (path: string, change: (text: string) => string): void => {
    writeFileSync(join(copy.root, path), change(readFileSync(join(copy.root, path), 'utf8')));
  };
  for (const { pascal, external } of NAMES) {
    edit(MODULE, (text) => text.replace(new RegExp(`^import .*\\b${pascal}Module\\b.*\n`, 'm'), '').replace(new RegExp(`,\\s*${pascal}Module\\b`), '')); // prettier-ignore
    edit(SANDBOX, (text) => text.replace(new RegExp(`,\\s*'${external}'`), ''));
  }
  edit(SANDBOX, (text) => text.replaceAll(/@Get\(\[('[\w-]+')\]\)/g, '@Get($1)'));
  copy.run('npx', 'prettier', '--write', MODULE, SANDBOX);
  copy.run('npm', 'run', '--silent', 'openapi');
  check('without it, the project is as before', copy.hash() === original, copy.run('diff', '-rq', '-x', 'node_modules', '-x', 'dist', '-x', '.git', ROOT, copy.root).output); // prettier-ignore
}

async function main(): Promise<void> {
  const copy = new ProjectCopy(ROOT);
  try {
    copy.run('npm', 'run', '--silent', 'openapi');
    const original = copy.hash();
    await checkRefusals(copy);
    checkGeneration(copy);
    await checkRunning(check, copy.root, { single: SINGLE, list: LIST, recipe: RECIPE });
    checkRemoval(copy, original);
  } finally {
    copy.remove();
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}

void main();
