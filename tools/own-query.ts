import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check, ROOT, runProgram, temporaryFolder } from '../measure/checks';
import { freePort } from '../test/support/free-port';
import { empty } from '../testing/upstream/responses';
import { ScriptedUpstream } from '../testing/upstream/scripted-upstream';
import { pack, run, whileRunning } from './run';

/**
 * Packs the service and installs it as users do, without pins: into what `nest new` makes (ES modules, Vitest), and into
 * a copy of `examples/own-query` (CommonJS, Jest). Builds, tests and runs them. The arguments are the folders of the
 * releases of Node that run the tests, the lowest first; by default, this one does, which has to be 22 or later for the
 * CLI of Nest. Run `npm run build` before.
 */

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
const EXAMPLE = join(ROOT, 'examples/own-query');
const RECIPES = join(ROOT, 'test/installed');
const PAGE = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8');

const folder = temporaryFolder('own-query');
const [lowest = dirname(process.execPath), ...higher] = process.argv.slice(2);

/** Bounds hangs: on a busy machine, a start may take longer than the runners wait by default. */
const PATIENCE = '--testTimeout=60000';
const VITEST = ['npx', 'vitest', 'run', PATIENCE, '--hookTimeout=60000'];
const JEST = ['npx', 'jest', PATIENCE];
const BY_ID = [...VITEST, '--globals=false', 'test/by-id.spec.ts'];

async function main(): Promise<void> {
  let tarball = '';
  await check('the package has no sources of its own', async () => {
    await run(join(ROOT, 'clients/typescript'), 'node', 'build.mjs');
    const [path, files] = await pack(ROOT, folder, '--ignore-scripts');
    tarball = path;
    hasNoSources(files);
  });
  // npm mostly waits.
  await Promise.all([
    check('with the overrides of the page, no package refuses this Node', () => tryOverrides(tarball)),
    makeByNest(join(folder, 'nest-new'), tarball),
    makeByNpm(join(folder, 'commonjs'), tarball),
  ]);
  await checkApplication('nest-new', [VITEST, BY_ID]);
  await checkApplication('commonjs', [JEST]);
}

function hasNoSources(files: readonly string[]): void {
  const shown =
    /^(dist|clients\/typescript\/dist)\/.+\.(js|d\.ts|css|html|txt|json)$|^(docs|examples|clients\/programs)\/|\.md$|LICENSE$/;
  const others = files.filter((path) => !shown.test(path));
  deepStrictEqual(others.sort(), ['clients/typescript/package.json', 'jest-preset.js', 'openapi.json', 'package.json']);
}

/** @param tests the commands that run its tests, by each release of Node */
async function checkApplication(name: string, tests: readonly (readonly string[])[]): Promise<void> {
  const app = join(folder, name);
  const checkApp = (what: string, work: (app: string) => unknown): Promise<void> =>
    check(`${name}: ${what}`, () => work(app));
  await checkApp('there is one Nest and one rxjs', hasOneNest);
  await checkApp('every link of the package leads to something in it', followLinks);
  await checkApp('the application compiles, with the files that the page shows', () => run(app, 'npm', 'run', 'build'));
  for (const node of [lowest, ...higher]) {
    for (const test of tests) await checkApp(`tests by ${node}: ${test.join(' ')}`, () => runBy(node, app, ...test));
  }
  await checkApp('the command checks a system by the protocol of the team', checkSystem);
  await checkApp('it has the query of the team, those of the service, and the settings of .env', () =>
    whileRunning(app, { SANDBOX_RECORDS: '500' }, use),
  );
  await checkApp('with tracing preloaded, its spans reach the collector', trace);
}

/** Runs a program by the release of Node in a folder. */
function runBy(node: string, cwd: string, ...command: readonly string[]): Promise<string> {
  return run(cwd, 'env', `PATH=${node}:${process.env.PATH ?? ''}`, ...command);
}

async function makeByNest(app: string, tarball: string): Promise<void> {
  const options = ['--skip-install', '--skip-git', '--package-manager', 'npm', '--no-observe'];
  const cli = temporaryFolder('nest-cli');
  // Without this file, npm would install into a folder above that has one.
  writeFileSync(join(cli, 'package.json'), '{}');
  await run(cli, 'npm', 'install', ...QUIET, '@nestjs/cli@12');
  // The CLI takes the templates of the folder that it is called in, or of one above.
  await run(cli, 'npx', 'nest', 'new', 'nest-new', ...options);
  cpSync(join(cli, 'nest-new'), app, { recursive: true });
  const recipes = JSON.parse(readFileSync(join(RECIPES, 'packages.json'), 'utf8')) as string[];
  const [, beside = ''] = /npm install \S+\.tgz (.+)/.exec(PAGE) ?? [];
  await run(app, 'npm', 'install', ...QUIET, tarball, ...beside.split(' '), ...recipes);
  cpSync(RECIPES, join(app, 'test'), { recursive: true });
  addSources(app);
}

async function makeByNpm(app: string, tarball: string): Promise<void> {
  cpSync(EXAMPLE, app, { recursive: true });
  addSources(app);
  rmSync(join(app, 'test/by-id.spec.ts'));
  await run(app, 'npm', 'install', ...QUIET, tarball);
  // These import packages that the example does not declare.
  const examples = join(app, 'node_modules/shipping-query-service/examples');
  for (const name of ['shipengine', 'cursor-carrier', 'team'])
    cpSync(join(examples, name), join(app, 'test', name), { recursive: true });
}

/** Adds the sources of the example, the files that the page shows, and a file `.env`. */
function addSources(app: string): void {
  for (const part of ['src', 'test']) cpSync(join(EXAMPLE, part), join(app, part), { recursive: true });
  const shown = [...PAGE.matchAll(/```ts\n(\/\/ (\S+)\n[^]*?)```/g)];
  for (const [, text = '', path = ''] of shown) writeFileSync(join(app, path), text);
  strictEqual(readFileSync(join(app, 'src/main.ts'), 'utf8'), readFileSync(join(EXAMPLE, 'src/main.ts'), 'utf8'));
  writeFileSync(join(app, '.env'), 'RATE_LIMIT_MAX=1000\n');
}

async function tryOverrides(tarball: string): Promise<void> {
  const [, overrides] = /```json\n("overrides": [^]*?)```/.exec(PAGE) ?? [];
  const app = temporaryFolder('overrides');
  writeFileSync(join(app, 'package.json'), `{${overrides}}`);
  await runBy(lowest, app, 'npm', 'install', ...QUIET, '--engine-strict', '--package-lock-only', tarball);
}

async function hasOneNest(app: string): Promise<void> {
  const query = ['@nestjs/core', '@nestjs/common', 'rxjs'].map((name) => `[name="${name}"]`).join();
  const found = JSON.parse(await run(app, 'npm', 'query', query)) as { location: string }[];
  const depths = found.map(({ location }) => location.split('node_modules').length);
  deepStrictEqual(depths, [2, 2, 2]);
}

function followLinks(app: string): void {
  const root = join(app, 'node_modules/shipping-query-service');
  const inside = readdirSync(root, { recursive: true }).map(String);
  const pages = inside.filter((path) => path.endsWith('.md') && !path.includes('node_modules'));
  const broken = pages.flatMap((path) => {
    const links = readFileSync(join(root, path), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g);
    const targets = [...links].map(([, target = '']) => join(dirname(path), target));
    return targets.filter((target) => !existsSync(join(root, target)));
  });
  deepStrictEqual([broken, pages.length > 10], [[], true]);
}

async function checkSystem(app: string): Promise<void> {
  const service = join(app, 'node_modules/shipping-query-service');
  const sandboxPort = await freePort();
  await whileRunning(service, { SANDBOX_PORT: String(sandboxPort), SANDBOX_RECORDS: '500' }, async () => {
    const url = `http://127.0.0.1:${sandboxPort}`;
    const command = ['shipping-query-service', 'check', '--protocol', 'dist/envelope.protocol.js', '--url', url];
    match(await run(app, 'npx', ...command), /with EnvelopeProtocol\n[^]* 0 failed, /);
  });
}

async function trace(app: string): Promise<void> {
  const collector = await ScriptedUpstream.start();
  collector.respondWith(empty(200));
  const env = { NODE_OPTIONS: '--require shipping-query-service/tracing', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  await whileRunning(app, env, use);
  await collector.close();
  strictEqual(collector.calls[0]?.path, '/v1/traces');
}

async function use(url: string): Promise<void> {
  const get = (path: string): Promise<Response> => fetch(url + path);
  const counted = await get('/api/Shipping/CountShippings?status=delivered');
  match(await counted.text(), /^\{"count":[1-9]\d*\}$/);
  strictEqual(counted.headers.get('shipping-completeness'), 'complete');
  match(String(counted.headers.get('ratelimit-policy')), /q=1000/);
  strictEqual((await get('/api/Shipping/CountShippings?Status=lost')).status, 400);
  strictEqual((await get('/api/Shipping/GetShippingPagedList')).status, 200);
  match(await (await get('/openapi.json')).text(), /"\/api\/Shipping\/CountShippings"/);
}

void runProgram(main);
