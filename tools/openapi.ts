import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from '../src/app.module';
import { createDocument } from '../src/app.openapi';
import { configureApp, createAdapter } from '../src/app.setup';
import { readSettings } from '../src/config/settings';

/** Writes `openapi.json` from an application that never listens. Its examples show records of the embedded sandbox. */
async function main(): Promise<void> {
  // Without the variables of this machine, so that the document is the same on every machine.
  process.env = { LOG_LEVEL: 'silent' };
  const settings = readSettings(process.env);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, createAdapter(settings), {
    bufferLogs: true,
  });
  await configureApp(app);
  await app.init();
  writeFileSync(join(__dirname, '../openapi.json'), `${JSON.stringify(createDocument(app), undefined, 2)}\n`);
  await app.close();
}

void main();
