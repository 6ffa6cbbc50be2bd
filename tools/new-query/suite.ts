import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checks } from '../../measure/checks';
import { EXTENSIONS } from './edits';
import { namesOf } from './names';
import { planQuery } from './plan';
import { ProjectCopy, type Outcome } from './project-copy';
import { checkRunning } from './running';

/*
 * Follows docs/adding-a-query.md on a copy of the project: refusals, its commands, requests to the running service, removal.
 * The names of the page get an end that no team uses, so that a project may have kept the examples. `--quick` leaves out lint
 * and types, which the build checks, and runs only the suites that look at the folders of queries or at all operations of the
 * document. The last line counts the checks.
 */

const ROOT = process.cwd();
const PAGE = readFileSync(join(ROOT, 'docs/adding-a-query.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^npm run new:query -- (\w+)/gm)].map(([, name = '']) => name);
/** The page with names that are free: a single lookup, a list and a page. */
const RECIPE = EXAMPLES.reduce((text, name) => text.replaceAll(name, `${name}OfSelfTest`), PAGE);
const COMMANDS = [...RECIPE.matchAll(/^npm run (new:query -- \w+(?: --\w+)?)/gm)].map(([, command = '']) => command);
const NAMES = EXAMPLES.map((name) => namesOf(`${name}OfSelfTest`));
const [SINGLE = '', LIST = '', PAGED = ''] = NAMES.map(({ pascal }) => pascal);
const FOLDERS = NAMES.map(({ kebab }) => `src/shipping/queries/${kebab}`);
const EXTENDED = [...EXTENSIONS.keys()];

/** Invalid or taken names, and what the refusal says. */
const REFUSED: readonly (readonly [reason: RegExp, ...names: string[]])[] = [
  [/PascalCase/, 'getShippingByCarrier', 'get-shipping-by-carrier', 'GetShipping_ByCarrier', 'GetSHIPPING'],
  [/PascalCase/, '', 'GetShippingÄ', '../../GetShipping', 'GetShipping/../../Evil'],
  [/must start with/, 'Get', 'ShippingByCarrier', 'DeleteShipping', 'Constructor'],
  [/ends with/, 'GetShippingQuery', 'GetShippingHandler'],
  [/60 characters/, `Get${'Long'.repeat(20)}`],
  [/taken/, 'GetShippingDetails', 'GetShippingInfoById', 'GetShippingSingle', 'FindShippingDetails'],
  [/taken/, 'GetShippingPaged'],
];

const QUICK = process.argv.includes('--quick');
const QUICK_TESTS = 'test -- src/shipping/queries architecture slices typescript/test/calls typescript/test/exports';

const checks = new Checks();

function check(name: string, holds: boolean, output = ''): void {
  checks.expect(name, holds, output.slice(-6000));
}

function npmRun(copy: ProjectCopy, command: string): Outcome {
  return copy.run('npm', 'run', '--silent', ...command.split(' '));
}

async function checkRefusals(copy: ProjectCopy): Promise<void> {
  const before = copy.hash();
  for (const [reason, ...names] of REFUSED) {
    for (const name of names) {
      const refusal = await planQuery(copy.root, name, 'single').then(() => 'planned', String);
      check(`refuses ${JSON.stringify(name)}`, reason.test(refusal), refusal);
    }
  }
  for (const given of ['', `${SINGLE} ${LIST}`, `${SINGLE} --many`, `${SINGLE} --list --page`]) {
    const { ok, output } = npmRun(copy, `new:query -- ${given}`);
    check(`refuses the arguments [${given}]`, !ok && output.includes('Nothing was changed'), output);
  }
  check('changes nothing where it refuses', copy.hash() === before);
  for (const path of EXTENDED) {
    const text = readFileSync(join(copy.root, path), 'utf8');
    writeFileSync(join(copy.root, path), 'export const nothing = 0;\n');
    const unchanged = copy.hash();
    const { ok, output } = npmRun(copy, `new:query -- ${SINGLE}`);
    check(`changes nothing where ${path} has no place for a line`, !ok && copy.hash() === unchanged && output.includes(path), output); // prettier-ignore
    writeFileSync(join(copy.root, path), text);
  }
}

/** The commands of the page, without an edit between them. */
function checkGeneration(copy: ProjectCopy): void {
  for (const command of COMMANDS) {
    const { ok, output } = npmRun(copy, command);
    const [name = ''] = /\w+OfSelfTest/.exec(command) ?? [];
    const document = readFileSync(join(copy.root, 'openapi.json'), 'utf8');
    check(command, ok && document.includes(`/api/Shipping/${name}`), output);
  }
  const before = copy.hash();
  const { ok, output } = npmRun(copy, `new:query -- ${SINGLE}`);
  check(`refuses ${SINGLE} a second time`, !ok && output.includes('taken') && copy.hash() === before, output);
  for (const command of [...(QUICK ? [QUICK_TESTS] : ['lint', 'test', 'typecheck']), 'build']) {
    const outcome = npmRun(copy, command);
    check(`npm run ${command}`, outcome.ok, outcome.output);
  }
}

/** Deletes the folders, and the lines elsewhere. */
function checkRemoval(copy: ProjectCopy, before: string): void {
  for (const folder of FOLDERS) rmSync(join(copy.root, folder), { recursive: true });
  const compiled = copy.run('npx', 'tsc', '--noEmit', '-p', 'tsconfig.build.json').output;
  for (const { kebab } of NAMES) {
    for (const role of ['query', 'handler']) check(`the compiler names the import of ${kebab}.${role}`, compiled.includes(`/${kebab}.${role}'`)); // prettier-ignore
  }
  for (const path of EXTENDED) copyFileSync(join(ROOT, path), join(copy.root, path));
  for (const command of ['generate']) npmRun(copy, command);
  check('without it, the project is as before', copy.hash() === before, copy.run('diff', '-rq', '-x', 'node_modules', '-x', 'dist', '-x', '.git', ROOT, copy.root).output); // prettier-ignore
}

async function main(): Promise<void> {
  const copy = new ProjectCopy(ROOT);
  try {
    for (const command of ['generate']) npmRun(copy, command);
    const original = copy.hash();
    await checkRefusals(copy);
    checkGeneration(copy);
    await checkRunning(checks, copy.root, { single: SINGLE, list: LIST, page: PAGED, recipe: RECIPE });
    checkRemoval(copy, original);
  } finally {
    copy.remove();
  }
  checks.conclude();
}

void main();
