import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Checks, ROOT, run, say, withService } from './client-steps';

/**
 * Holds the document against a second generator: types made afresh by openapi-typescript, a program on openapi-fetch that
 * compiles under `strict`, and its four calls to the running service.
 */

const COMPILER_OPTIONS = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

async function main(): Promise<void> {
  const checks = new Checks();
  await withService(async (url, folder) => {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    copyFileSync(join(ROOT, 'clients/programs/second-generator.ts'), join(folder, 'program.ts'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    const configuration = { compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));

    await checks.check('openapi-typescript makes types of openapi.json', () =>
      run('openapi-typescript', [join(ROOT, 'openapi.json'), '--output', join(folder, 'schema.ts')]),
    );
    await checks.check('they compile under strict, and refuse what is wrong', () => run('tsc', ['-p', folder]));
    await checks.check('all four operations are read from the running service', async () => {
      say((await run(process.execPath, [join(folder, 'program.js'), url])).trimEnd());
    });
  });
  checks.conclude();
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
