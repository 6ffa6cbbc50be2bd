import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Checks } from '../measure/checks';

/**
 * Packs the service as it is built, installs the tarball in a copy of `examples/own-query`, and runs that application: the
 * service with a query of a team, without a fork. `npm run build` first.
 */

const ROOT = join(__dirname, '..');
/** Bounds hangs. */
const PATIENCE_MS = 300_000;

async function run(cwd: string, ...command: readonly string[]): Promise<string> {
  const [program = '', ...programArguments] = command;
  // `npm run` hands the settings of this project down.
  const env = { ...process.env, npm_config_legacy_peer_deps: 'false', npm_config_silent: 'false' };
  return (await promisify(execFile)(program, programArguments, { cwd, env, timeout: PATIENCE_MS })).stdout;
}

async function install(folder: string): Promise<void> {
  const packed = await run(ROOT, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', folder);
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
  const others = files.map(({ path }) => path).filter((path) => !/^dist\/.+\.(js|d\.ts|css)$/.test(path));
  deepStrictEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
  cpSync(join(ROOT, 'examples/own-query'), folder, { recursive: true });
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${filename}`);
}

async function hasOneNest(folder: string): Promise<void> {
  const paths = await run(folder, 'npm', 'ls', '--all', '--parseable', '@nestjs/core', '@nestjs/common', 'rxjs');
  deepStrictEqual(paths.split('\n').filter((path) => path.split('node_modules').length > 2), []); // prettier-ignore
}

/** The address of the running application, on its embedded sandbox. */
async function addressOf(application: ChildProcess): Promise<string> {
  if (application.stdout === null) throw new Error('There is no log');
  for await (const line of createInterface({ input: application.stdout })) {
    const address = /"address":"([^"]+)"/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('The application ended');
}

async function use(folder: string): Promise<void> {
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', SANDBOX_RECORDS: '500' };
  const application = spawn(process.execPath, ['dist/main.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
  const exit = once(application, 'exit');
  try {
    const url = await addressOf(application);
    const counted = await fetch(`${url}/api/Shipping/CountShippings?status=delivered`);
    match(await counted.text(), /^\{"count":[1-9]\d*\}$/);
    strictEqual(counted.headers.get('shipping-completeness'), 'complete');
    strictEqual((await fetch(`${url}/api/Shipping/CountShippings?Status=lost`)).status, 400);
    strictEqual((await fetch(`${url}/api/Shipping/GetShippingPagedList`)).status, 200);
    match(await (await fetch(`${url}/openapi.json`)).text(), /"\/api\/Shipping\/CountShippings"/);
  } finally {
    application.kill();
  }
  deepStrictEqual(await exit, [0, null]);
}

async function main(): Promise<void> {
  const checks = new Checks();
  const folder = mkdtempSync(join(tmpdir(), 'own-query-'));
  await checks.check('the package has no sources, and npm installs it', () => install(folder));
  await checks.check('there is one Nest and one rxjs', () => hasOneNest(folder));
  await checks.check('the application compiles by the types of the package', () => run(folder, 'npm', 'run', 'build'));
  await checks.check('it has the query of the team and those of the service', () => use(folder));
  rmSync(folder, { recursive: true, force: true });
  checks.conclude();
}

void main();
