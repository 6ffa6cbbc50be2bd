import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { readSandboxSettings } from '../config/sandbox.settings';
import { startSandbox } from './start-sandbox';

/** Runs the sandbox alone, until SIGINT or SIGTERM. */
async function main(): Promise<void> {
  Logger.overrideLogger(['error']);
  const settings = readSandboxSettings(process.env);
  const sandbox = await startSandbox(settings, settings.host);
  process.stdout.write(`Sandbox at ${sandbox.url}: ${settings.variant}, ${settings.records} records\n`);
  const end = (): void => void sandbox.stop().then(() => process.exit(0));
  process.once('SIGINT', end).once('SIGTERM', end);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
