import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { cpSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { check, ROOT, runProgram, temporaryFolder } from '../../measure/checks';
import { run, whileRunning } from '../run';

/** Follows docs/adding-a-query.md on a copy of the project. */

const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage', 'artifacts', 'reports', '.git', '.stryker-tmp']);
/** The suites that check all queries or all operations, and so the added ones. */
const TESTS = 'test/health document deploy/haproxy typescript/test/calls';
const TEXTS = 'src/shipping/documentation/operations.json';
/** What it adds for a field, a filter and a status stands there as a text, before another one of a file. */
const PAGE = readFileSync(join(ROOT, 'docs/adding-a-query.md'), 'utf8');

const copy = temporaryFolder('new-query');

async function main(): Promise<void> {
  cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !LEFT_OUT.has(basename(path)) });
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  await succeeds(...GENERATE, 'GetShippingsByCarrier', '--page');
  await succeeds(...GENERATE, 'FindShippingByLabel');
  await succeeds(...GENERATE, 'ListShippingsOfRoute', '--list');
  await succeeds('prettier', '--check', 'src/shipping');
  requireCarrier();
  for (const [, path = '', line = ''] of PAGE.matchAll(/^- `([^`]+)`: (.*)/gm)) {
    for (const [, text = '', before = ''] of line.matchAll(/`([^`]+)` before (?:each )?`([^`]+)`/g))
      await check(`adds ${text} to ${path}`, () => {
        add(path, text, before);
      });
  }
  for (const script of ['generate', 'typecheck']) await succeeds('npm', 'run', '--silent', script);
  await succeeds('eslint', 'src/shipping');
  await succeeds('jest', '--config', 'jest.all.config.js', ...TESTS.split(' '));
  await succeeds('jest', 'contract/sandbox', '--testNamePattern', 'generated records');
  // It runs from its sources: `typecheck` has compiled them, and the project itself is built elsewhere.
  await check('the running service has them', () => whileRunning(copy, {}, useThem, FROM_SOURCES));
}

const FROM_SOURCES = ['-r', './test/support/register-swc.js', 'src/main.ts'];
const GENERATE = ['npm', 'run', '--silent', 'new:query', '--'] as const;

function succeeds(program: string, ...args: readonly string[]): Promise<void> {
  return check([program, ...args].join(' '), () => run(copy, program, ...args));
}

/** Adds a text of the page before a text of a file; paths are below `src`, but for those of other folders. */
function add(path: string, text: string, before: string): void {
  edit(/^(?:examples|test|testing|tools)\//.test(path) ? path : `src/${path}`, (file) => {
    strictEqual(file.includes(before), true);
    return file.replaceAll(before, `${text} ${before}`);
  });
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));
}

/** Adds the required parameter of docs/adding-a-query.md to the query; the documented 400 is that it is missing. */
function requireCarrier(): void {
  const parameter = `@RequiredText(20, 'Code of the carrier.', 'DHL') Carrier: string;\n  @PageNumber()`;
  edit('src/shipping/queries/get-shippings-by-carrier/get-shippings-by-carrier.query.ts', (text) =>
    text.replace('PageSize, ', 'PageSize, RequiredText, ').replace('@PageNumber()', parameter),
  );
  const invalid = JSON.stringify({ parameter: 'Carrier', message: 'is missing' });
  edit(TEXTS, (text) => text.replace(/(?<="by-carrier": [^}]*"invalid": )\{[^}]*\}/, invalid));
}

async function useThem(url: string): Promise<void> {
  const get = (request: string): Promise<Response> => fetch(`${url}/api/Shipping/${request}`);
  match(await (await get('GetShippingsByCarrier?Carrier=DHL&PageNumber=2')).text(), /"pageNumber":2/);
  const missing = await get('GetShippingsByCarrier?PageNumber=2');
  strictEqual(missing.status, 400);
  match(await missing.text(), /\{"parameter":"Carrier","message":"is missing"\}/);
  match(await (await get('FindShippingByLabel?OrderId=ORD-000001')).text(), /"orderId":"ORD-000001"/);
  const failed = await get('ListShippingsOfRoute?OrderId=SIMULATE-500');
  strictEqual(failed.headers.get('shipping-completeness'), 'unavailable;reason=upstream-error');
  const ofUser = await (await get('GetShippingPagedList?CreatedBy=order-import')).json();
  const { items } = ofUser as { items: { createdBy: string }[] };
  deepStrictEqual(new Set(items.map(({ createdBy }) => createdBy)), new Set(['order-import']));
  match(await (await get('GetShippingDetails?Status=Returned')).text(), /"status":"Returned".*"carrier":"DHL"/);
  match(await (await fetch(`${url}/metrics`)).text(), /operation="by-carrier"/);
}

void runProgram(main);
