import { minifySync, transformSync } from '@swc/core';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

it('in a bundle, the client is as small as the page says', () => {
  const [, kibibytes] =
    /less than (\d+) KiB in a bundle/.exec(readFileSync(join(__dirname, '../README.md'), 'utf8')) ?? [];
  const folder = join(__dirname, '../src');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  // The modules one after the other, without what binds them to each other, are what a bundler makes of them.
  const modules = sources.map((name) => {
    const source = readFileSync(join(folder, name), 'utf8');
    return transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }).code;
  });
  const bundle = modules.join('\n').replace(/^(import|export (\*|\{))[^;]*;$/gm, '');
  const { code } = minifySync(bundle, { module: true, compress: true, mangle: true });
  expect(gzipSync(code).length).toBeLessThan(Number(kibibytes) * 1024);
  expect(code.length).toBeGreaterThan(8 * 1024);
});
