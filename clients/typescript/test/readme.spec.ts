import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';

const FOLDER = join(__dirname, '..');
const PAGE = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block);

/** What the blocks leave to their reader. */
const READERS = `
declare const client: import('shipping-query-client').ShippingClient;
declare const baseUrl: string, params: object, signal: AbortSignal;
declare function write(item: object): Promise<void>;
declare function currentToken(): Promise<string>;
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  paths: { 'shipping-query-client': [join(FOLDER, 'src/index.ts')] },
};

/** A module of a block. What it declares stays in a function, so that it may replace what its reader would have. */
function moduleOf(block: string): string {
  const imports = block.match(/^import .*$/gm) ?? [];
  const rest = block.replace(/^import .*$/gm, '');
  const importsClient = imports.some((line) => line.includes('ShippingClient'));
  const all = importsClient ? imports : ["import { ShippingClient } from 'shipping-query-client';", ...imports];
  const named = rest.includes('ShippingProblem') ? ["import { ShippingProblem } from 'shipping-query-client';"] : [];
  return [...all, ...named, READERS, 'export async function block() {', rest, '}'].join('\n');
}

describe('the blocks of the page compile under strict', () => {
  const files = new Map(BLOCKS.map((block, index) => [join(FOLDER, `src/block-${index}.ts`), moduleOf(block)]));
  let program: ts.Program;
  beforeAll(() => {
    const host = ts.createCompilerHost(OPTIONS);
    const { fileExists, readFile } = host;
    host.fileExists = (name) => files.has(name) || fileExists(name);
    host.readFile = (name) => files.get(name) ?? readFile(name);
    host.getSourceFile = (name, version) => ts.createSourceFile(name, host.readFile(name) ?? '', version);
    program = ts.createProgram([...files.keys()], OPTIONS, host);
  });

  const blocks = [...files.keys()].map((name, at) => ({ name, block: BLOCKS[at]?.split('\n')[0]?.slice(0, 50) }));
  it.each(blocks)('$block', ({ name }) => {
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(name));
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });
});
