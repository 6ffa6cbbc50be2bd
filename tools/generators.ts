import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Query, Trial } from '../clients/programs/generators/trial';
import { check, checkNone, runProgram } from '../measure/checks';
import { ROOT, run, whileRunning } from './run';

/**
 * Makes a client of each kind (types alone, fetch, axios, validating), compiles it under `strict` together with a program
 * that uses it, and runs the program against the built service on its sandbox. Run `npm run build` before. It needs Node
 * 22.18, because one of the generators does.
 */

const PROGRAMS = join(ROOT, 'clients/programs/generators');
/** It is kept between runs, so that packages are downloaded once. */
const FOLDER = join(ROOT, 'reports/generators');
const IN_TRANSIT: Query = { Status: 'InTransit', PageSize: 2, SortBy: 'TrackingNumber', SortDirection: 'asc' };
/** Scripts of the package of the programs. */
const GENERATORS = ['openapi-typescript', 'orval', 'hey-api'];
const PLAIN_TEXT = 'Page size must be between 1 and 100';

/** Programs, each with the client that one of the generators has made. */
const NAMES = ['openapi-typescript', 'orval-fetch', 'orval-axios', 'hey-api-zod'];

async function main(): Promise<void> {
  await check('the generators are installed', install);
  await whileRunning(ROOT, { LOG_LEVEL: 'warn' }, async (url) => {
    await generate(url);
    const faults = await compile();
    for (const name of NAMES) {
      const own = faults.filter((line) => line.includes(name) || !NAMES.some((other) => line.includes(other)));
      checkNone(`${name} compiles under strict`, own);
      await check(`${name} reads the running service`, () => use(name, url));
    }
  });
}

/** Copies the programs, without what an earlier run has made, and installs the exact versions of their packages. */
async function install(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const old of readdirSync(FOLDER)) if (old !== 'node_modules') rmSync(join(FOLDER, old), { recursive: true });
  cpSync(PROGRAMS, FOLDER, { recursive: true });
  cpSync(join(ROOT, 'openapi.json'), join(FOLDER, 'openapi.json'));
  const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--silent'];
  await run(FOLDER, 'npm', 'install', ...options);
}

/** The generators read the address of the service from the environment. */
async function generate(url: string): Promise<void> {
  process.env.BASE_URL = `${url}/`;
  const make = (script: string): Promise<void> =>
    check(`${script} makes its client`, () => run(FOLDER, 'npm', 'run', '-s', script));
  await Promise.all(GENERATORS.map(make));
}

/** @returns the errors of the compiler, in lines that begin with the path of a file */
async function compile(): Promise<readonly string[]> {
  const output = await run(FOLDER, 'node_modules/.bin/tsc', '--pretty', 'false').catch(String);
  return output.split('\n').filter((line) => line.includes('error TS'));
}

/** Runs a program, and checks what it saw. */
async function use(name: string, url: string): Promise<void> {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the file is made in this run
  const { trial } = require(join(FOLDER, `${name}.js`)) as { trial: Trial };
  // D12: some clients then request `//api/…`.
  const page = await trial.page(`${url}/`, IN_TRANSIT);
  const [first, second] = page?.items ?? [];
  deepStrictEqual([first?.status, second?.status, page?.items.length], ['InTransit', 'InTransit', 2]);
  const unknown = await trial.page(url, { SearchTerm: 'SIMULATE-ODD-RECORD', PageSize: 1 });
  deepStrictEqual([unknown?.items[0]?.createdDate, unknown?.items[0]?.orderId], [null, null]);
  strictEqual(await trial.completeness(url), 'unavailable;reason=upstream-error');
  strictEqual(await trial.strictStatus(url), 502);
  const text = String(await trial.plainText(url));
  if (!text.includes('expected number to be >=1')) strictEqual(text, PLAIN_TEXT);
}

void runProgram(main);
