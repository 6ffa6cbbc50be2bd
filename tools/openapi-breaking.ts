import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { breakingChanges } from './breaking-changes';
import type { Document } from './document';

/**
 * Compares `openapi.json` with the last released document, or with the one of `--against`, and names what breaks
 * clients. Exits 1 where something does and the major version has not been raised.
 */

const ROOT = join(__dirname, '..');
const RELEASED = join(ROOT, 'docs', 'api', 'released');

const { values: options } = parseArgs({
  options: { against: { type: 'string' }, document: { type: 'string', default: join(ROOT, 'openapi.json') } },
});

function main(): void {
  const before = read(options.against ?? join(RELEASED, lastReleased()));
  const after = read(options.document);
  const changes = breakingChanges(before, after);
  const span = `from ${before.info.version} to ${after.info.version}`;
  if (changes.length === 0) {
    say(`Nothing breaks clients ${span}.`);
    return;
  }
  say(`These changes ${span} break clients:`, ...changes.map((change) => `- ${change}`));
  if (majorOf(after) > majorOf(before)) return;
  say('Take them back, or raise the major version in package.json.');
  process.exitCode = 1;
}

/** The file of the highest version. */
function lastReleased(): string {
  const files = readdirSync(RELEASED).filter((name) => /^\d+\.\d+\.\d+\.json$/.test(name));
  const [last] = files.sort((left, right) => right.localeCompare(left, 'en', { numeric: true }));
  if (last === undefined) throw new Error('No document has been released; "npm run openapi -- --release" keeps one');
  return last;
}

function majorOf({ info }: Document): number {
  return Number.parseInt(info.version, 10);
}

function read(file: string): Document {
  return JSON.parse(readFileSync(file, 'utf8')) as Document;
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
