import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Checks } from './checks';
import { namesOf } from './names';
import { planQuery } from './plan';
import { removeLeftovers } from './removal';
import { describeRunning } from './running';

/*
 * Follows docs/adding-a-query.md on a copy of the project: what the generator refuses, what it makes, whether that lints,
 * compiles, passes its tests, runs and answers; and that taking it away again leaves nothing. The last line counts the
 * checks.
 */

const ROOT = process.cwd();
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'artifacts', 'reports', '.git', '.stryker-tmp']);
const RECIPE = readFileSync(join(ROOT, 'docs/adding-a-query.md'), 'utf8');
/** The two queries that the recipe makes: a single lookup, then a list. */
const [SINGLE = '', LIST = ''] = [...RECIPE.matchAll(/^npm run new:query -- (\w+)/gm)].map(([, name]) => name);
const FOLDERS = [SINGLE, LIST].map((name) => `src/shipping/queries/${namesOf(name).kebab}`);
const LONG_MS = 300_000;

/** Names, and what the refusal says of them. */
const REFUSED: readonly (readonly [name: string, reason: RegExp])[] = [
  ['getShippingByCarrier', /PascalCase/],
  ['get-shipping-by-carrier', /PascalCase/],
  ['GetShipping_ByCarrier', /PascalCase/],
  ['GetSHIPPING', /PascalCase/],
  ['GetShippingÄ', /PascalCase/],
  ['', /PascalCase/],
  ['Get', /what it reads/],
  ['ShippingByCarrier', /what it reads/],
  ['DeleteShipping', /what it reads/],
  ['Constructor', /what it reads/],
  ['../../GetShipping', /PascalCase/],
  ['GetShipping/../../Evil', /PascalCase/],
  ['GetShippingQuery', /ends with Query/],
  ['GetShippingHandler', /ends with Handler/],
  [`Get${'Long'.repeat(20)}`, /60 characters/],
  ['GetShippingDetails', /taken/],
  ['GetShippingInfoById', /taken/],
  ['GetShippingSingle', /taken/],
  ['FindShippingDetails', /taken/],
  ['GetShippingPaged', /taken/],
];

/** One hash over names and contents of all files. */
function hashOf(root: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.filter((path) => !isLeftOut(path.slice(root.length + 1))).sort()) {
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex');
}

function isLeftOut(path: string): boolean {
  return path.split('/').some((part) => LEFT_OUT.has(part));
}

function copyOfProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'new-query-')));
  cpSync(ROOT, root, { recursive: true, filter: (from) => from === ROOT || !LEFT_OUT.has(basename(from)) });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(root, 'node_modules'));
  return root;
}

interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

function run(root: string, command: string, ...given: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(command, given, { cwd: root, encoding: 'utf8', timeout: LONG_MS });
  return { status, output: `${stdout}${stderr}` };
}

function generate(root: string, ...given: readonly string[]): Outcome {
  return run(root, 'npm', 'run', '--silent', 'new:query', '--', ...given);
}

async function tryRefusals(checks: Checks, root: string): Promise<void> {
  const before = hashOf(root);
  for (const [name, reason] of REFUSED) {
    const told = await planQuery(root, name, 'single').then(() => 'made', String);
    checks.add(`refuses ${JSON.stringify(name)}`, reason.test(told), told);
  }
  for (const given of [
    [],
    [SINGLE, LIST],
    [SINGLE, '--paged'],
    ['../../GetShipping'],
    ['GetShippingDetails', '--list'],
  ]) {
    const { status, output } = generate(root, ...given);
    const told = output.includes('Nothing was changed');
    checks.add(`refuses the arguments [${given.join(' ')}]`, status === 1 && told, output);
  }
  checks.add('changes nothing where it refuses', hashOf(root) === before);
}

function tryMissingAnchor(checks: Checks, root: string): void {
  const path = join(root, 'src/sandbox/sandbox.controller.ts');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, 'export const nothing = 0;\n');
  const before = hashOf(root);
  const { status, output } = generate(root, SINGLE);
  checks.add('changes nothing where one file cannot be extended', status === 1 && hashOf(root) === before, output);
  writeFileSync(path, text);
}

function tryGeneration(checks: Checks, root: string): void {
  for (const given of [[SINGLE], [LIST, '--list']]) {
    const { status, output } = generate(root, ...given);
    checks.add(`makes ${given.join(' ')}`, status === 0, output);
  }
  const before = hashOf(root);
  for (const name of [SINGLE, LIST, 'GetShippingBycarrier']) {
    const { status, output } = generate(root, name);
    checks.add(`does nothing to ${name} a second time`, status === 1 && output.includes('taken') && hashOf(root) === before, output); // prettier-ignore
  }
  const specs = [...FOLDERS, 'test/gateway-methods', 'src/docs', 'test/document', 'src/shipping/shipping.module', 'src/sandbox', 'test/sandbox/sandbox.server']; // prettier-ignore
  const steps: readonly (readonly [name: string, command: string, ...given: string[]])[] = [
    ['compiles', 'npx', 'tsc', '--noEmit'],
    ['passes lint', 'npm', 'run', '--silent', 'lint'],
    ['passes its tests and those of its surroundings', 'npx', 'jest', ...specs],
    ['can be built', 'npm', 'run', '--silent', 'build'],
  ];
  for (const [name, command, ...given] of steps) {
    const { status, output } = run(root, command, ...given);
    checks.add(`what it made ${name}`, status === 0, output);
  }
}

function tryRemoval(checks: Checks, root: string, original: string): void {
  for (const folder of FOLDERS) rmSync(join(root, folder), { recursive: true });
  const rounds = removeLeftovers(root);
  run(root, 'npm', 'run', '--silent', '--if-present', 'openapi');
  const lines = rounds.map((round) => round.join('\n')).join('\n\n');
  checks.add('the compiler names all that is left of a deleted slice', rounds.length > 0, lines);
  checks.add('without it, all is as it was', hashOf(root) === original, run(root, 'diff', '-r', '-x', 'node_modules', '-x', 'dist', '-x', '.git', ROOT, root).output); // prettier-ignore
}

async function main(): Promise<void> {
  const checks = new Checks();
  const root = copyOfProject();
  try {
    const original = hashOf(root);
    await tryRefusals(checks, root);
    tryMissingAnchor(checks, root);
    tryGeneration(checks, root);
    const service = spawn(process.execPath, ['dist/main.js'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', SANDBOX_RECORDS: '50' },
    });
    await describeRunning(checks, service, { single: SINGLE, list: LIST, recipe: RECIPE });
    tryRemoval(checks, root, original);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  process.exitCode = checks.report() ? 0 : 1;
}

void main();
