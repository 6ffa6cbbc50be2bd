import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import type { SandboxVariant } from './shipping-record';

/** How long the sandbox may take to end by itself, in milliseconds. */
const STOP_GRACE_MS = 2_000;

export interface EmbeddedSandboxSettings {
  port: number;
  records: number;
  variant: SandboxVariant;
  /** A day as `YYYY-MM-DD`, or `today`. */
  today: string;
}

export interface EmbeddedSandbox {
  /** The root under which the operations' paths begin, without a trailing slash. */
  url: string;
  /** Ends the sandbox; may be called more than once. */
  stop(): Promise<void>;
}

/**
 * Starts the sandbox in a child process, so that building and querying a large database never blocks this one. The
 * child ends with this process, however that ends. Of the environment it gets its own settings and nothing of the service.
 *
 * @param execArgv options of Node for the child
 * @throws Error where the child ends before it listens, with the reason it gave
 */
export async function startEmbeddedSandbox(
  settings: EmbeddedSandboxSettings,
  execArgv: readonly string[] = [],
): Promise<EmbeddedSandbox> {
  const { port, records, variant, today } = settings;
  const child = fork(join(__dirname, `main${extname(__filename)}`), [], {
    env: {
      ...inherited(),
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(port),
      SANDBOX_RECORDS: String(records),
      SANDBOX_VARIANT: variant,
      SANDBOX_TODAY: today,
    },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => {
      resolve();
    }),
  );
  const url = await listening(child);
  return { url, stop: () => stop(child, ended) };
}

/** What any process of this machine may know, and Node needs. */
function inherited(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { PATH, SystemRoot };
}

/** The address the child reports. */
async function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new Error(`The embedded sandbox did not start: ${reason}`));
    };
    child.once('error', (error) => {
      fail(error.message);
    });
    child.once('exit', (code, signal) => {
      fail(`its process ended with ${signal ?? `exit code ${code ?? 'unknown'}`} before it listened`);
    });
    child.once('message', (message: { url: string } | { error: string }) => {
      if ('url' in message) resolve(message.url);
      else fail(message.error);
    });
  });
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.connected) child.disconnect();
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await ended;
  clearTimeout(overdue);
}
