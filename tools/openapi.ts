import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createApp } from '../src/app.setup';
import { readSettings } from '../src/config/settings';
import { createDocument } from '../src/docs/docs.setup';
import { differences } from './differences';

/**
 * Writes `openapi.json` from the application itself, which is built but never listens. `--check` writes nothing and
 * exits 1 where the file is not what would be written; `--release` also keeps a copy as the document of this version.
 */

const ROOT = join(__dirname, '..');

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
    document: { type: 'string', default: join(ROOT, 'openapi.json') },
  },
});

async function main(): Promise<void> {
  const { text, version } = await render();
  if (options.check) check(text);
  else write(options.document, text);
  if (options.release) keep(join(ROOT, 'docs', 'api', 'released', `${version}.json`), text);
}

/** The same on every machine: no setting of the environment is read, and nothing is called. */
async function render(): Promise<{ text: string; version: string }> {
  const settings = readSettings({ EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' });
  const app = await createApp(settings, pino({ level: 'silent' }));
  try {
    await app.init();
    const document = createDocument(app);
    return { text: `${JSON.stringify(document, undefined, 2)}\n`, version: document.info.version };
  } finally {
    await app.close();
  }
}

function check(text: string): void {
  const committed = existsSync(options.document) ? readFileSync(options.document, 'utf8') : '';
  if (committed === text) {
    say('openapi.json is what the code says.');
    return;
  }
  const found = differences(parsed(committed), JSON.parse(text));
  say('openapi.json is not what the code says; run "npm run openapi" and commit the file.');
  say(found.length > 0 ? found.join('\n') : 'Only its order or its white space differs.');
  process.exitCode = 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A released document is never written over. */
function keep(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') !== text) {
    throw new Error(`${relative(ROOT, file)} is released already; raise the version in package.json`);
  }
  write(file, text);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  say(`Wrote ${relative(ROOT, file)}.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
