import 'reflect-metadata';
import { readSandboxSettings } from '../config/sandbox.settings';
import { startSandbox } from './sandbox.server';

/**
 * Runs the sandbox as a process of its own. Started by hand it prints where it listens and ends on SIGINT or SIGTERM.
 * Forked, it sends its parent `{ url }`, or `{ error }` where it cannot start, and ends when the parent disconnects: a
 * signal from the terminal reaches both, and the parent may still have requests in flight.
 */
async function main(): Promise<void> {
  const forked = process.send !== undefined;
  const parentGone = forked ? untilParentGone() : undefined;
  const settings = readSandboxSettings(process.env);
  const sandbox = await startSandbox(settings);
  const ended = parentGone ?? untilSignalled();
  if (forked) process.send?.({ url: sandbox.url }, undefined, undefined, ignoreLostParent);
  else process.stdout.write(`Sandbox at ${sandbox.url}: ${settings.variant}, ${settings.records} records\n`);
  await ended;
  await sandbox.close();
  process.exit(0);
}

async function untilParentGone(): Promise<void> {
  const ignoreSignal = (): void => undefined;
  process.on('SIGINT', ignoreSignal).on('SIGTERM', ignoreSignal);
  return new Promise((resolve) => process.once('disconnect', resolve));
}

async function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve);
  });
}

function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const exit = (): void => process.exit(1);
  if (process.send) process.send({ error: message }, undefined, undefined, exit);
  else process.stderr.write(`${message}\n`, exit);
}

/** The parent may have ended; `disconnect` reports that. */
function ignoreLostParent(): void {
  return undefined;
}

main().catch(fail);
