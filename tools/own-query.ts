import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checks, runProgram, temporaryFolder } from '../measure/checks';
import { freePort } from '../test/support/free-port';
import { pack, ROOT, run, whileRunning } from './run';

/**
 * Packs the service, installs it in a copy of `examples/own-query`, and builds, tests and runs that application, which
 * extends the service without a fork. npm refuses packages that do not support this release of Node; with the argument
 * `pnpm`, packages see only the dependencies that they declare. Run `npm run build` before.
 */

const checks = new Checks();
const folder = temporaryFolder('own-query');
const isPnpm = process.argv[2] === 'pnpm';

async function main(): Promise<void> {
  await checks.check('the package has no sources, its README leads to files in it, and it is installed', install);
  await checks.check('there is one Nest and one rxjs', hasOneNest);
  await checks.check('the application compiles by the types of the package', () => run(folder, 'npm', 'run', 'build'));
  await checks.check('an ES module imports both entries', importEntries);
  await checks.check('its tests pass by the preset and the testing entry', () => run(folder, 'npm', 'test'));
  await checks.check('the command checks a system by the protocol of the team', checkSystem);
  await checks.check('it has the query of the team and those of the service', () =>
    whileRunning(join(folder, 'dist/main.js'), { SANDBOX_RECORDS: '500' }, use),
  );
}

async function install(): Promise<void> {
  await run(ROOT, 'tsc', '-p', 'tsconfig.package.json');
  const [tarball, files] = await pack(ROOT, folder, '--ignore-scripts');
  const others = files.filter((path) => !/^dist\/.+\.(js|d\.ts|css|html|txt|json)$|^docs\/|\.md$/.test(path));
  deepStrictEqual(others.sort(), ['LICENSE', 'examples/requests.http', 'jest-preset.js', 'package.json']);
  const links = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g);
  const broken = [...links].map(([, path]) => path).filter((path) => !files.includes(String(path)));
  deepStrictEqual(broken, []);
  cpSync(join(ROOT, 'examples/own-query'), folder, { recursive: true });
  if (isPnpm) await run(folder, 'npx', '--yes', 'pnpm@10.34.9', 'add', '--ignore-scripts', tarball);
  else await run(folder, 'npm', 'install', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund', tarball);
}

async function importEntries(): Promise<void> {
  strictEqual(await run(folder, process.execPath, 'dist/entries.mjs'), 'true');
}

async function hasOneNest(): Promise<void> {
  if (isPnpm) return;
  const paths = await run(folder, 'npm', 'ls', '--all', '--parseable', '@nestjs/core', '@nestjs/common', 'rxjs');
  const nested = paths.split('\n').filter((path) => path.split('node_modules').length > 2);
  deepStrictEqual(nested, []);
}

async function checkSystem(): Promise<void> {
  const entry = join(folder, 'node_modules/shipping-query-service/dist/main.js');
  const sandboxPort = await freePort();
  await whileRunning(entry, { SANDBOX_PORT: String(sandboxPort), SANDBOX_RECORDS: '500' }, async () => {
    const report = await run(folder, 'npm', 'run', 'check', '--', '--url', `http://127.0.0.1:${sandboxPort}`);
    match(report, /with EnvelopeProtocol\n[^]* 0 failed, /);
  });
}

async function use(url: string): Promise<void> {
  const get = (path: string): Promise<Response> => fetch(url + path);
  const counted = await get('/api/Shipping/CountShippings?status=delivered');
  match(await counted.text(), /^\{"count":[1-9]\d*\}$/);
  strictEqual(counted.headers.get('shipping-completeness'), 'complete');
  strictEqual((await get('/api/Shipping/CountShippings?Status=lost')).status, 400);
  strictEqual((await get('/api/Shipping/GetShippingPagedList')).status, 200);
  match(await (await get('/openapi.json')).text(), /"\/api\/Shipping\/CountShippings"/);
}

void runProgram(checks, main);
