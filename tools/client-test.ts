import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, ROOT, runProgram, temporaryFolder } from '../measure/checks';
import { json } from '../testing/upstream/responses';
import { ScriptedUpstream } from '../testing/upstream/scripted-upstream';
import { pack, run, whileRunning } from './run';

/**
 * Packs the TypeScript client, installs it in an empty folder, and uses it there as an ES module and from CommonJS,
 * with its types. Run `npm run build` before.
 */

/** The files of the package that are not modules. */
const OTHERS = ['LICENSE', 'README.md', 'dist/cjs/package.json', 'dist/esm/package.json', 'package.json'];

const STRICT = '--ignoreConfig --strict --exactOptionalPropertyTypes --noEmit --target es2022 --typeRoots';
/** The ways in which programs that use the client are compiled. */
const COMPILATIONS = [
  ['node16, ES modules', 'consumer.mts', '--module node16 --types node --lib es2022'],
  ['node16, CommonJS', 'consumer.cts', '--module node16 --types node --lib es2022'],
  ['bundler, browser', 'consumer.ts', '--module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable'],
] as const;

const folder = temporaryFolder('shipping-client');

async function main(): Promise<void> {
  await check('the package has no sources and no tests, and npm installs it, with no dependency', install);
  const env = { SANDBOX_RECORDS: '300', LOG_LEVEL: 'warn' };
  await whileRunning(ROOT, env, async (url) => {
    for (const program of ['use-imported.mjs', 'use-required.cjs']) {
      await check(`${program} reads the running service`, () => run(folder, 'node', program, url));
    }
    await check('one command writes all records as a table', () => writeTable(url));
    await check('no text of a record is a formula in the table', writeFormulas);
  });
  for (const [name, file, options] of COMPILATIONS) {
    const rest = [...STRICT.split(' '), join(ROOT, 'node_modules/@types'), ...`${options} ${file}`.split(' ')];
    const compile = (): Promise<string> => run(folder, 'tsc', ...rest);
    await check(`types resolve and hold: ${name}`, compile);
  }
}

async function install(): Promise<void> {
  const [tarball, files] = await pack(join(ROOT, 'clients/typescript'), folder, '--foreground-scripts=false');
  const others = files.filter((path) => !/^dist\/(esm|cjs)\/.+\.(js|d\.ts)$/.test(path));
  deepStrictEqual(others.sort(), OTHERS);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball);
  const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  deepStrictEqual(packages, ['shipping-query-client']);
  cpSync(join(ROOT, 'clients/programs'), folder, { recursive: true });
  for (const name of ['consumer.mts', 'consumer.cts']) cpSync(join(folder, 'consumer.ts'), join(folder, name));
}

const TABLE = join(ROOT, 'clients/typescript/examples/csv.mjs');

async function writeTable(url: string): Promise<void> {
  const [head = '', ...rows] = (await run(folder, 'node', TABLE, url, '--Status', 'InTransit')).trimEnd().split('\r\n');
  strictEqual(head.startsWith('\ufeffid,orderId,trackingNumber,status,totalWeight,createdDate (UTC),'), true);
  const page = await fetch(`${url}/api/Shipping/GetShippingPagedList?Status=InTransit&PageSize=1`);
  strictEqual(rows.length, ((await page.json()) as { totalCount: number }).totalCount);
  for (const row of rows) match(row, /^SHP-\d+,ORD-\d+,[^,]*,InTransit,[\d.]*,\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,/);
  const failure = run(folder, 'node', TABLE, url, '--SearchTerm', 'SIMULATE-BAD-SHAPE');
  await rejects(failure, /The table is not complete: The external system sent data that cannot be used/);
}

/** Spreadsheets run texts that begin like a formula, and such a text may come from anybody. */
async function writeFormulas(): Promise<void> {
  const texts = ['=1+1', '@a', '-1', 'a"b', 'c\nd', null];
  const items = texts.map((shippingAddress, index) => ({ id: `R-${index}`, createdDate: null, shippingAddress }));
  const paging = { pageNumber: 1, totalPages: 1, hasPreviousPage: false, hasNextPage: false };
  const service = await ScriptedUpstream.start();
  service.respondWith(({ params }) => {
    const pageSize = Number(params.get('PageSize'));
    const [shown, totalCount] = pageSize === 1 ? [items.slice(0, 1), 1] : [items, items.length];
    const headers = { 'Shipping-Completeness': 'complete' };
    return json({ items: shown, ...paging, pageSize, totalCount }, { headers });
  });
  const [, ...rows] = (await run(folder, 'node', TABLE, service.url)).trimEnd().split('\r\n');
  await service.close();
  const cells = rows.map((row) => row.split(',').at(-1));
  deepStrictEqual(cells, ["'=1+1", "'@a", "'-1", '"a""b"', '"c\nd"', '']);
  await rejects(run(folder, 'node', TABLE, service.url), /The table is not complete: fetch failed: ECONNREFUSED/);
}

void runProgram(main);
