import '../config/node-version';
import { Logger } from '@nestjs/common';
import { readSettings } from '../config/settings';
import { startSandbox } from './start-sandbox';

/** Runs the sandbox alone, until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  Logger.overrideLogger(['error']);
  // With NODE_ENV=production the settings would require an external system, which the sandbox itself is.
  const { sandbox } = readSettings({ ...process.env, NODE_ENV: undefined });
  const { HOST: host } = process.env;
  const app = await startSandbox(sandbox, host === '' ? undefined : host);
  process.stdout.write(`Sandbox at ${await app.getUrl()}: ${sandbox.variant}, ${sandbox.records} records\n`);
  app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
