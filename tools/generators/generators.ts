import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../client-steps';

/** The folders of one generator: where its packages are installed, and where it writes. */
export interface Folders {
  readonly installed: string;
  readonly output: string;
}

/** A generator of TypeScript clients. */
export interface Generator {
  readonly name: string;
  /** Packages with exact versions; none where the project has the generator among its own. */
  readonly packages: readonly string[];
  /** Versions of indirect dependencies, for generators that allow ranges of them. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** The lowest Node it runs on, as major and minor version. */
  readonly lowestNode: readonly [major: number, minor: number];
  /** Files with names that users see, and that a compiler has to accept. */
  readonly files: RegExp;
  /** Files with mocks. */
  readonly mocks?: RegExp;
  generate(document: string, folders: Folders): Promise<unknown>;
}

const NO_TELEMETRY = { DO_NOT_TRACK: '1', KUBB_DISABLE_TELEMETRY: '1' };

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
    lowestNode: [20, 19],
    files: /\.ts$/,
    generate: (document, { installed, output }) =>
      run(bin(installed, 'openapi-typescript'), [
        document,
        ...['-o', join(output, 'api.ts'), '--enum', '--root-types', '--root-types-no-schema-prefix'],
      ]),
  },
  {
    name: '@hey-api/openapi-ts',
    packages: [],
    lowestNode: [20, 19],
    files: /^(types|sdk)\.gen\.ts$/,
    generate: (document, { output }) => run('openapi-ts', ['-i', document, '-o', output, '--no-log-file', '--silent']),
  },
  {
    name: 'orval',
    packages: ['orval@8.30.0'],
    overrides: { '@scalar/openapi-parser': '0.28.11' },
    lowestNode: [22, 18],
    // The mocks need packages of their own.
    files: /(?<!\.faker|\.msw)\.ts$/,
    mocks: /\.faker\.ts$/,
    generate: generateWithOrval,
  },
  {
    name: 'kubb',
    packages: ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-client'].map((part) => `@kubb/${part}@4.39.3`),
    lowestNode: [20, 19],
    files: /^(types|clients)\/.*\.ts$/,
    generate: generateWithKubb,
  },
];

function generateWithOrval(input: string, { installed, output }: Folders): Promise<string> {
  const target = { target: join(output, 'api.ts'), schemas: join(output, 'model') };
  const config = { shipping: { input, output: { ...target, client: 'fetch', mode: 'split', mock: true } } };
  const file = written(installed, 'orval.config.mjs', `export default ${JSON.stringify(config)};`);
  return run(bin(installed, 'orval'), ['--config', file], { cwd: installed });
}

function generateWithKubb(document: string, { installed, output }: Folders): Promise<string> {
  const config = { root: installed, input: { path: document }, output: { path: output, clean: true } };
  const text = `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
const plugins = [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch', bundle: true })];
export default defineConfig({ ...${JSON.stringify(config)}, plugins });`;
  const file = written(installed, 'kubb.config.mjs', text);
  return run(bin(installed, 'kubb'), ['generate', '--config', file], { cwd: installed, env: NO_TELEMETRY });
}

function bin(installed: string, name: string): string {
  return join(installed, 'node_modules/.bin', name);
}

function written(folder: string, name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
