import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Query, Trial } from '../clients/programs/generators/trial';
import { check, ROOT, runProgram, temporaryFolder } from '../measure/checks';
import { run, whileRunning } from './run';

/**
 * Makes a client of each kind (types alone, fetch, axios, validating), compiles it under `strict` together with a program
 * that uses it, and runs the program against the built service on its sandbox. Run `npm run build` before. It needs Node
 * 22.18, because one of the generators does.
 */

const PROGRAMS = join(ROOT, 'clients/programs/generators');
const FOLDER = temporaryFolder('generators');
const IN_TRANSIT: Query = { Status: 'InTransit', PageSize: 2, SortBy: 'TrackingNumber', SortDirection: 'asc' };
/** Scripts of the package of the programs. */
const GENERATORS = ['openapi-typescript', 'orval', 'hey-api'];

/** Programs, each with the client that one of the generators has made. */
const NAMES = ['openapi-typescript', 'orval-fetch', 'orval-axios', 'hey-api-zod'];

async function main(): Promise<void> {
  await check('the generators are installed', install);
  await whileRunning(ROOT, { LOG_LEVEL: 'warn' }, async (url) => {
    await generate(url);
    // What the compiler refuses is run all the same.
    await check(`${NAMES.join(', ')} compile under strict`, () => run(FOLDER, 'node_modules/.bin/tsc'));
    for (const name of NAMES) await check(`${name} reads the running service`, () => use(name, url));
  });
}

/** Copies the programs, and installs the exact versions of their packages. */
async function install(): Promise<void> {
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
  if (!text.includes('expected number to be >=1')) strictEqual(text, 'Page size must be between 1 and 100');
}

void runProgram(main);
