import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Query, Trial } from '../clients/programs/generators/trial';
import { check, ROOT, runProgram, temporaryFolder } from '../measure/checks';
import { json } from '../testing/upstream/responses';
import { ScriptedUpstream } from '../testing/upstream/scripted-upstream';
import { pack, run, whileRunning } from './run';

/**
 * Clients of the built service on its sandbox; run `npm run build` before. The TypeScript client is packed, installed in an
 * empty folder, and used there as an ES module and from CommonJS, with its types. Generators make a client of each kind
 * (types alone, fetch, axios, validating), which is compiled under `strict` together with a program that uses it. It needs
 * Node 22.18, because one of the generators does.
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

/** Scripts of the package of the programs below. */
const GENERATORS = ['openapi-typescript', 'orval', 'hey-api'];
/** Programs, each with the client that one of the generators makes. */
const PROGRAMS = ['openapi-typescript', 'orval-fetch', 'orval-axios', 'hey-api-zod'];
const IN_TRANSIT: Query = { Status: 'InTransit', PageSize: 2, SortBy: 'TrackingNumber', SortDirection: 'asc' };

const folder = temporaryFolder('shipping-client');
const generated = temporaryFolder('generators');

async function main(): Promise<void> {
  await check('the package has no sources and no tests, and npm installs it, with no dependency', install);
  await check('the generators are installed', installGenerators);
  await whileRunning(ROOT, { SANDBOX_RECORDS: '300', LOG_LEVEL: 'warn' }, async (url) => {
    for (const program of ['use-imported.mjs', 'use-required.cjs']) {
      await check(`${program} reads the running service`, () => run(folder, 'node', program, url));
    }
    await check('one command writes all records as a table', () => writeTable(url));
    await check('no text of a record is a formula in the table', writeFormulas);
    await generate(url);
    // What the compiler refuses is run all the same.
    await check(`${PROGRAMS.join(', ')} compile under strict`, () => run(generated, 'node_modules/.bin/tsc'));
    for (const name of PROGRAMS) await check(`${name} reads the running service`, () => use(name, url));
  });
  for (const [name, file, options] of COMPILATIONS) {
    const rest = [...STRICT.split(' '), join(ROOT, 'node_modules/@types'), ...`${options} ${file}`.split(' ')];
    await check(`types resolve and hold: ${name}`, () => run(folder, 'tsc', ...rest));
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

/** Copies the programs, and installs the exact versions of their packages. */
async function installGenerators(): Promise<void> {
  cpSync(join(ROOT, 'clients/programs/generators'), generated, { recursive: true });
  cpSync(join(ROOT, 'openapi.json'), join(generated, 'openapi.json'));
  const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--silent'];
  await run(generated, 'npm', 'install', ...options);
}

/** The generators read the address of the service from the environment. */
async function generate(url: string): Promise<void> {
  process.env.BASE_URL = `${url}/`;
  const make = (script: string): Promise<void> =>
    check(`${script} makes its client`, () => run(generated, 'npm', 'run', '-s', script));
  await Promise.all(GENERATORS.map(make));
}

/** Runs a program, and checks what it saw. */
async function use(name: string, url: string): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the file is made in this run
  const { trial } = require(join(generated, `${name}.js`)) as { trial: Trial };
  // D12: some clients then request `//api/…`.
  const page = await trial.page(`${url}/`, IN_TRANSIT);
  const [first, second] = page?.items ?? [];
  deepStrictEqual([first?.status, second?.status, page?.items.length], ['InTransit', 'InTransit', 2]);
  const unknown = await trial.page(url, { SearchTerm: 'SIMULATE-ODD-RECORD', PageSize: 1 });
  deepStrictEqual([unknown?.items[0]?.createdDate, unknown?.items[0]?.orderId], [null, null]);
  strictEqual(await trial.completeness(url), 'unavailable;reason=upstream-error');
  strictEqual(await trial.strictStatus(url), 502);
  const text = String(await trial.plainText(url));
  if (!text.includes('expected number to be >=1')) strictEqual(text, 'Page size must be between 1 and 100');
}

void runProgram(main);
