import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Checks, runProgram, temporaryFolder } from '../measure/checks';
import { ServerProcess } from '../measure/server-process';
import { pack, ROOT, run } from './run';

/**
 * Packs the service as it is built, installs the tarball in a copy of `examples/own-query`, and runs that application: the
 * service with a query of a team, without a fork. `npm run build` first.
 */

const checks = new Checks();
const folder = temporaryFolder('own-query');

async function main(): Promise<void> {
  await checks.check('the package has no sources, and npm installs it', install);
  await checks.check('there is one Nest and one rxjs', hasOneNest);
  await checks.check('the application compiles by the types of the package', () => run(folder, 'npm', 'run', 'build'));
  await checks.check('it has the query of the team and those of the service', use);
}

async function install(): Promise<void> {
  const [tarball, files] = await pack(ROOT, folder, '--ignore-scripts');
  const others = files.filter((path) => !/^dist\/.+\.(js|d\.ts|css)$/.test(path));
  deepStrictEqual(others.sort(), ['LICENSE', 'README.md', 'package.json']);
  cpSync(join(ROOT, 'examples/own-query'), folder, { recursive: true });
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
}

async function hasOneNest(): Promise<void> {
  const paths = await run(folder, 'npm', 'ls', '--all', '--parseable', '@nestjs/core', '@nestjs/common', 'rxjs');
  const nested = paths.split('\n').filter((path) => path.split('node_modules').length > 2);
  deepStrictEqual(nested, []);
}

async function use(): Promise<void> {
  const entry = [process.execPath, join(folder, 'dist/main.js')] as const;
  const env = { NODE_ENV: 'development', SANDBOX_RECORDS: '500' };
  const application = await ServerProcess.start({ name: 'application', entry, env, readyAt: '/health/ready' });
  try {
    const get = (path: string): Promise<Response> => fetch(`${application.url}${path}`);
    const counted = await get('/api/Shipping/CountShippings?status=delivered');
    match(await counted.text(), /^\{"count":[1-9]\d*\}$/);
    strictEqual(counted.headers.get('shipping-completeness'), 'complete');
    strictEqual((await get('/api/Shipping/CountShippings?Status=lost')).status, 400);
    strictEqual((await get('/api/Shipping/GetShippingPagedList')).status, 200);
    match(await (await get('/openapi.json')).text(), /"\/api\/Shipping\/CountShippings"/);
  } finally {
    strictEqual(await application.stop(), 0);
  }
}

void runProgram(checks, main);
