// Compiles the client to ES modules and CommonJS, each with its types. `npm pack` runs it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
for (const [kind, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
  execFileSync('tsc', ['-p', `tsconfig.${kind}.json`], { stdio: 'inherit' });
  writeFileSync(`dist/${kind}/package.json`, `${JSON.stringify({ type, sideEffects: false })}\n`);
  // The compiler rewrites `./x.ts` in programs, but leaves it in declarations, where older compilers refuse it.
  for (const name of readdirSync(`dist/${kind}`, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(`dist/${kind}/${name}`, 'utf8');
    const renamed = text.replace(/((?:from |import\()['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2');
    writeFileSync(`dist/${kind}/${name}`, renamed);
  }
}
