import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createDocument } from '../src/app.docs';
import { AppModule } from '../src/app.module';
import { configureApp, createAdapter } from '../src/app.setup';

/**
 * Writes `openapi.json` from the application, which is created but never listens. `--check` writes nothing and exits 1
 * where the committed document differs: every change of it is committed and reviewed.
 */

const FILE = join(__dirname, '../openapi.json');
const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

async function main(): Promise<void> {
  const text = await render();
  if (!options.check) {
    writeFileSync(FILE, text);
  } else if (readFileSync(FILE, 'utf8') !== text) {
    process.stderr.write('openapi.json is out of date; run "npm run generate" and review the difference.\n');
    process.exitCode = 1;
  }
}

/** The same on every machine: no environment variable is read. With the embedded sandbox, whose responses are the examples. */
async function render(): Promise<string> {
  process.env = { LOG_LEVEL: 'silent' };
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(), { bufferLogs: true });
  await configureApp(app);
  try {
    await app.init();
    return `${JSON.stringify(createDocument(app), undefined, 2)}\n`;
  } finally {
    await app.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
