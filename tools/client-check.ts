import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run, say } from './client-steps';

/**
 * Generates the TypeScript client afresh and exits 1 where what is committed differs. With `npm run client:generate` it
 * becomes the same again.
 */

const COMMITTED = join(ROOT, 'clients/typescript/src/generated');

async function main(): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), 'shipping-client-'));
  try {
    const config = 'clients/typescript/openapi-ts.config.mjs';
    await run('openapi-ts', ['-f', config, '--no-log-file', '--silent'], { env: { CLIENT_OUTPUT: fresh } });
    const names = [...new Set([...filesIn(COMMITTED), ...filesIn(fresh)])].sort();
    const stale = names.filter((name) => textOf(COMMITTED, name) !== textOf(fresh, name));
    for (const name of stale) say(`${name} is not what the document says`);
    if (stale.length === 0) {
      say(`${names.length} generated files are what the document says.`);
    } else {
      say('Run "npm run client:generate" and commit the result.');
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith('.ts'));
}

function textOf(folder: string, name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
