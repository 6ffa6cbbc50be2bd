import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const ROOT = join(__dirname, '..');
const { forbidden } = jest.requireActual<{ forbidden: { name: string; comment: string }[] }>(
  '../.dependency-cruiser.js',
);

const SLICE = 'src/shipping/queries/get-shipping-sample/get-shipping-sample';

/** A file that breaks each rule (or its folder), and what it must not import: another file, or a package. */
const BREACHES: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['no-circles', 'src/http/first.ts', 'src/http/second.ts'],
  ['no-circles-between-folders', 'src/shipping/documentation/third.ts', 'src/shipping/http/fourth.ts'],
  ['common-imports-downwards', 'src/common/sample.ts', 'src/config/other.ts'],
  ['config-imports-downwards', 'src/config/sample.ts', 'src/http/other.ts'],
  ['resilience-observability-redis-imports-downwards', 'src/resilience/sample.ts', 'src/shipping/model/other.ts'],
  ['platform-folders-of-a-row-are-independent', 'src/observability/metrics/sample.ts', 'src/redis/other.ts'],
  ['http-imports-downwards', 'src/http/sample.ts', 'src/access/other.ts'],
  ['openapi-imports-downwards', 'src/openapi/sample.ts', 'src/shipping/model/other.ts'],
  ['access-imports-downwards', 'src/access/sample.ts', 'src/app.module.ts'],
  ['shipping-imports-downwards', 'src/shipping/model/second.ts', 'src/health/other.ts'],
  ['health-sandbox-imports-downwards', 'src/health/third.ts', 'src/app.setup.ts'],
  ['model-imports-nothing-else-of-shipping', 'src/shipping/model/sample.ts', 'src/shipping/gateway/third.ts'],
  ['controller-imports-no-handlers', 'src/shipping/shipping.controller.ts', `${SLICE}.handler.ts`],
  ['controller-imports-no-handlers', `${SLICE}.controller.ts`, 'src/shipping/gateway/sample.ts'],
  ['slices-are-independent', `${SLICE}.handler.ts`, 'src/shipping/queries/get-shipping-other/other.ts'],
  ['handlers-import-no-http', `${SLICE}.handler.ts`, 'src/http/other.ts'],
  ['handlers-import-no-http', `${SLICE}.handler.ts`, 'src/shipping/pipeline/other.ts'],
  ['pipeline-imports-no-slice', 'src/shipping/pipeline/sample.ts', `${SLICE}.query.ts`],
  ['gateway-imports-no-queries', 'src/shipping/gateway/other.ts', `${SLICE}.query.ts`],
  ['only-the-transport-imports-http-clients', 'src/shipping/gateway/cache/other.ts', 'undici'],
  ['only-the-transport-imports-http-clients', `${SLICE}.query.ts`, '@nestjs/axios'],
  ['sandbox-stands-alone', 'src/sandbox/sample.ts', 'src/common/other.ts'],
  ['only-the-composition-imports-the-sandbox', 'src/health/sample.ts', 'src/sandbox/other.ts'],
  ['no-tests-in-the-product', 'src/config/third.ts', 'test/support/sample.ts'],
  ['no-undeclared-packages', 'src/main.ts', 'fast-check'],
  ['client-stands-alone', 'clients/typescript/src/sample.ts', 'src/shipping/model/other.ts'],
];
/** Files that keep all of them. */
const ALLOWED: readonly (readonly [from: string, to: string])[] = [
  ['src/shipping/queries/get-shipping-fine/fine.handler.ts', 'src/shipping/gateway/fine.ts'],
  ['src/shipping/queries/get-shipping-fine/fine.handler.ts', 'src/shipping/queries/shared/fine.ts'],
  ['src/shipping/gateway/fine.ts', 'src/shipping/model/fine.ts'],
  ['src/shipping/gateway/transport/fine.ts', 'undici'],
  ['src/shipping/pipeline/fine.ts', 'src/shipping/queries/shared/fine.ts'],
  ['src/app.module.ts', 'src/sandbox/fine.ts'],
  ['src/health/fine.spec.ts', 'src/app.module.ts'],
];

interface Report {
  readonly summary: { readonly violations: readonly { from: string; rule: { name: string } }[] };
}

/** The violations of a project that has only these files. */
function violationsOf(imports: readonly (readonly [from: string, to: string])[]): string[] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'boundaries-')));
  const text = new Map<string, string>();
  for (const [from, to] of imports) {
    const path = relative(dirname(from), to).replace(/^(?!\.)/, './').replace(/\.ts$/, ''); // prettier-ignore
    const statement = `export * from '${/^(src|test|clients)\//.test(to) ? path : to}';\n`;
    text.set(from, `${text.get(from) ?? ''}${statement}`);
    if (/^(src|test|clients)\//.test(to) && !text.has(to)) text.set(to, 'export const nothing = 0;\n');
  }
  try {
    for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.js']) cpSync(join(ROOT, file), join(root, file)); // prettier-ignore
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(root, 'node_modules'));
    for (const [file, content] of text) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), content);
    }
    for (const folder of ['test', 'clients']) mkdirSync(join(root, folder), { recursive: true });
    const cruiser = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const given = [cruiser, '--config', '.dependency-cruiser.js', '--output-type', 'json', 'src', 'test', 'clients'];
    const { stdout } = spawnSync(process.execPath, given, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 });
    const { violations } = (JSON.parse(stdout) as Report).summary;
    return violations.map(({ rule, from }) => `${rule.name} ${from}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe('boundaries', () => {
  const circle = ['src/http/second.ts', 'src/http/first.ts'] as const;
  const folders = ['src/shipping/http/fifth.ts', 'src/shipping/documentation/sixth.ts'] as const;
  const found = violationsOf([...BREACHES.map(([, from, to]) => [from, to] as const), circle, folders]);

  it.each(BREACHES)('%s is broken by %s where it imports %s', (rule, from) => {
    const source = rule === 'no-circles-between-folders' ? dirname(from) : from;
    expect(found).toContain(`${rule} ${source}`);
  });

  it('are all tested, and each has its reason', () => {
    expect([...new Set(BREACHES.map(([rule]) => rule))].sort()).toEqual(forbidden.map(({ name }) => name).sort());
    for (const { comment } of forbidden) expect(comment.length).toBeGreaterThan(20);
  });

  it('allow what they should', () => {
    expect(violationsOf(ALLOWED)).toEqual([]);
  });
});
