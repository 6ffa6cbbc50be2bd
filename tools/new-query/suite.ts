import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Checks, runProgram } from '../../measure/checks';
import { ServerProcess } from '../../measure/server-process';

/** Follows docs/adding-a-query.md on a copy of the project. The last line counts the checks. */

const ROOT = join(__dirname, '../..');
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'artifacts', 'reports', '.git', '.stryker-tmp']);
/** The suites that look at the folders of queries, or at all operations of the document. */
const TESTS = 'architecture contract/slices contract/queries document deploy/nginx typescript/test/calls'.split(' ');
const REFUSED = ['', 'getShipping', 'GetSHIPPING', '../../GetShipping', 'DeleteShipping', 'GetShippingDetails', 'FindSingle', `Get${'Long'.repeat(20)}`]; // prettier-ignore
const PATH = 'src/shipping/queries';
const FILES = ['get-shippings-by-carrier', 'find-shipping-by-label', 'list-shippings-of-route'].flatMap((name) => [
  `${PATH}/${name}/${name}.handler.ts`,
  `${PATH}/${name}/${name}.query.ts`,
]);

const checks = new Checks();
const copy = realpathSync(mkdtempSync(join(tmpdir(), 'new-query-')));

function run(...command: readonly string[]): { readonly ok: boolean; readonly output: string } {
  const [program = '', ...rest] = command;
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd: copy, encoding: 'utf8', timeout: 600_000 });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

function succeeds(...command: readonly string[]): void {
  const { ok, output } = run(...command);
  checks.expect(command.join(' '), ok, output.slice(-6000));
}

function changedFiles(): string[] {
  run('git', 'add', '-A');
  return run('git', 'diff', '--cached', '--name-only').output.trim().split('\n').sort();
}

/** Makes a parameter of the page required, in the query and in the examples of its route. */
function requireCarrier(): void {
  const edit = (path: string, change: (text: string) => string): void => {
    writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));
  };
  edit(`${PATH}/get-shippings-by-carrier/get-shippings-by-carrier.query.ts`, (text) =>
    text
      .replace('  PageSize,\n', '  PageSize,\n  RequiredText,\n')
      .replace(
        '  @PageNumber()',
        `  @RequiredText(20, 'Code of the carrier.', 'DHL')\n  Carrier: string;\n\n  @PageNumber()`,
      ),
  );
  edit('src/shipping/shipping.controller.ts', (text) => text.replaceAll('ByCarrier?', 'ByCarrier?Carrier=DHL&'));
}

async function checkRunning(): Promise<void> {
  const entry = [process.execPath, join(copy, 'dist/main.js')] as const;
  const service = await ServerProcess.start({ name: 'copy', entry, env: { NODE_ENV: 'development' }, readyAt: '/health/ready' }); // prettier-ignore
  const get = (request: string): Promise<Response> => fetch(`${service.url}/api/Shipping/${request}`);
  try {
    match(await (await get('GetShippingsByCarrier?Carrier=DHL&PageNumber=2')).text(), /"pageNumber":2/);
    const missing = await get('GetShippingsByCarrier?PageNumber=2');
    strictEqual(missing.status, 400);
    match(await missing.text(), /\{"parameter":"Carrier","message":"is missing"\}/);
    match(await (await get('FindShippingByLabel?OrderId=ORD-000001')).text(), /"orderId":"ORD-000001"/);
    const failed = await get('ListShippingsOfRoute?OrderId=SIMULATE-500');
    strictEqual(failed.headers.get('shipping-completeness'), 'unavailable;reason=upstream-error');
    match(await (await fetch(`${service.url}/metrics`)).text(), /operation="by-carrier"/);
  } finally {
    await service.stop();
  }
}

async function main(): Promise<void> {
  cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !LEFT_OUT.has(basename(path)) });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  for (const command of ['init -q', 'add -A', '-c user.name=x -c user.email=x@example.com commit -qm x']) run('git', ...command.split(' ')); // prettier-ignore
  const generate = ['npm', 'run', '--silent', 'new:query', '--'];
  for (const name of REFUSED) checks.expect(`refuses "${name}"`, !run(...generate, name).ok, 'it was generated');
  deepStrictEqual(changedFiles(), ['']);
  succeeds(...generate, 'GetShippingsByCarrier', '--page');
  succeeds(...generate, 'FindShippingByLabel');
  succeeds(...generate, 'ListShippingsOfRoute', '--list');
  await checks.check('two files and two edits a query', () => {
    deepStrictEqual(changedFiles(), [...FILES, 'src/shipping/shipping.controller.ts', 'src/shipping/shipping.module.ts'].sort()); // prettier-ignore
    return Promise.resolve();
  });
  requireCarrier();
  for (const script of ['generate', 'typecheck', 'build']) succeeds('npm', 'run', '--silent', script);
  succeeds('npx', 'eslint', 'src/shipping');
  succeeds('npx', 'jest', '--config', 'jest.all.config.js', ...TESTS);
  await checks.check('the running service has them', checkRunning);
}

void runProgram(checks, () => main().finally(() => { rmSync(copy, { recursive: true, force: true }); })); // prettier-ignore
