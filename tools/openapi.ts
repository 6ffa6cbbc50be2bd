import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocument } from '../src/app.openapi';
import { createTestingApp } from '../testing/testing-app';

/** Writes `openapi.json` from an application that never listens. Its examples show records of the embedded sandbox. */
async function main(): Promise<void> {
  // It reads no variables of this machine, so that the document is the same on every machine.
  const app = await createTestingApp({ sandbox: true });
  await app.init();
  writeFileSync(join(__dirname, '../openapi.json'), `${JSON.stringify(createDocument(app), undefined, 2)}\n`);
  await app.close();
}

void main();
