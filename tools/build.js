// Builds dist. It compiles into a folder of its own, which takes the place of dist once it is complete: an interrupted
// or failed build leaves the last one. With --if-changed it does nothing where dist was built from the same files.
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const DIST = 'dist';
const NEXT = 'dist.next';
const PREVIOUS = 'dist.previous';
const STAMP = 'built-from';
const CONFIGURATION = ['nest-cli.json', 'package.json', 'tsconfig.build.json', 'tsconfig.json'];

/** The files that a build is made from, in a fixed order. */
function sources() {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  return [...CONFIGURATION, ...files.sort()];
}

/** A hash of names and contents. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const path of sources()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

function isBuiltFrom(wanted) {
  const stamp = join(DIST, STAMP);
  return existsSync(join(DIST, 'main.js')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

function compile() {
  let compiler;
  try {
    compiler = require.resolve('typescript/bin/tsc', { paths: [process.cwd()] });
  } catch {
    process.stderr.write('dist is not up to date, and TypeScript is not installed: run npm ci\n');
    return false;
  }
  const given = [compiler, '--project', 'tsconfig.build.json', '--outDir', NEXT];
  return spawnSync(process.execPath, given, { stdio: 'inherit' }).status === 0;
}

function build(stamp) {
  rmSync(NEXT, { recursive: true, force: true });
  if (!compile()) return false;
  const { compilerOptions } = JSON.parse(readFileSync('nest-cli.json', 'utf8'));
  for (const asset of compilerOptions.assets) {
    const path = asset.replace(/\/\*$/, '');
    cpSync(join('src', path), join(NEXT, path), { recursive: true });
  }
  writeFileSync(join(NEXT, STAMP), stamp);
  rmSync(PREVIOUS, { recursive: true, force: true });
  if (existsSync(DIST)) renameSync(DIST, PREVIOUS);
  renameSync(NEXT, DIST);
  rmSync(PREVIOUS, { recursive: true, force: true });
  return true;
}

function main() {
  const ifChanged = process.argv.includes('--if-changed');
  // A copy of dist without its sources.
  if (ifChanged && !existsSync('src')) return true;
  const wanted = fingerprint();
  return (ifChanged && isBuiltFrom(wanted)) || build(wanted);
}

process.exitCode = main() ? 0 : 1;
