import { PATH_METADATA } from '@nestjs/common/constants';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/config/settings';
import { SandboxController } from '../../src/sandbox/sandbox.controller';
import type { UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';

const QUERIES = join(__dirname, '../../src/shipping/queries');
const { paths } = readSettings({}).external;

/** The upstream requests of all slices, found by their files: a new query needs no entry here. */
const SLICES = readdirSync(QUERIES).filter((name) => existsSync(join(QUERIES, name, `${name}.query.ts`)));
const REQUESTS = SLICES.map((name) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the files are found at run time
  const exported = require(join(QUERIES, name, `${name}.query`)) as Record<string, (params: object) => UpstreamRequest>;
  const build = Object.entries(exported).find(([key]) => key.endsWith('Request'))?.[1];
  if (build === undefined) throw new Error(`${name}.query.ts exports no request`);
  return [name, build({})] as const;
});

const routes = Object.getOwnPropertyNames(SandboxController.prototype)
  .filter((name) => name !== 'constructor')
  .map((name) => Reflect.get(SandboxController.prototype, name) as object)
  .flatMap((handler) => (Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined) ?? [])
  .map((path) =>
    `/${[Reflect.getMetadata(PATH_METADATA, SandboxController) as string, path].join('/')}`.replace(/\/+/g, '/'),
  );

describe('the slices', () => {
  it('D28 the sandbox has no route that no query requests', () => {
    const requested = REQUESTS.map(([, { operation }]) => operation.path(paths).replace('{id}', ':id'));
    expect(requested).toEqual(expect.arrayContaining(routes));
  });

  it('each operation has a name of its own', () => {
    const names = REQUESTS.map(([, { operation }]) => operation.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(4);
  });
});
