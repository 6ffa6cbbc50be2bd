import { Logger } from '@nestjs/common';
import { fork, type ChildProcess } from 'node:child_process';
import { extname, join } from 'node:path';
import type { SandboxSettings } from '../config/sandbox.settings';

/** How long the sandbox may take to end by itself, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/** A sandbox that ended is started again at most this often, in milliseconds. */
const RESTART_MS = 10_000;

export interface EmbeddedSandbox {
  /** The root under which the operations' paths begin, without a trailing slash. */
  url: string;
  /** Ends the sandbox; may be called more than once. */
  stop(): Promise<void>;
}

/** A process of the sandbox. */
interface SandboxProcess {
  readonly child: ChildProcess;
  /** Its address; rejects where it ends before. */
  readonly listening: Promise<string>;
  /** Why it ended. */
  readonly ended: Promise<string>;
}

/**
 * Starts the sandbox in a child process, so that building and querying a large database never blocks this one. The
 * child ends with this process, however that ends. A child that ends earlier is logged and started again at its address.
 * Of the environment it gets its own settings and nothing of the service.
 *
 * @param execArgv options of Node for the child
 * @throws Error where the child ends before it listens, with the reason it gave
 */
export async function startEmbeddedSandbox(
  settings: SandboxSettings,
  execArgv: readonly string[] = [],
): Promise<EmbeddedSandbox> {
  let running = launch(settings, execArgv);
  const url = await running.listening;
  let restartedAt = -Infinity;
  let restart: NodeJS.Timeout | undefined;
  let isStopping = false;

  const restartWhenEnded = async (): Promise<void> => {
    const reason = await running.ended;
    if (isStopping) return;
    const waitMs = Math.max(0, restartedAt + RESTART_MS - performance.now());
    const text = `The embedded sandbox ended: ${reason}; it is started again in ${Math.ceil(waitMs / 1000)} s`;
    new Logger('EmbeddedSandbox').error(text);
    restart = setTimeout(() => {
      restartedAt = performance.now();
      running = launch({ ...settings, port: Number(new URL(url).port) }, execArgv);
      void restartWhenEnded();
    }, waitMs);
  };
  void restartWhenEnded();

  const stop = async (): Promise<void> => {
    isStopping = true;
    clearTimeout(restart);
    await end(running);
  };
  return { url, stop };
}

function launch({ port, records, variant }: SandboxSettings, execArgv: readonly string[]): SandboxProcess {
  // What any process of this machine may know, and Node needs.
  const { PATH, SystemRoot } = process.env;
  const child = fork(join(__dirname, `sandbox.process${extname(__filename)}`), [], {
    env: {
      PATH,
      SystemRoot,
      SANDBOX_HOST: '127.0.0.1',
      SANDBOX_PORT: String(port),
      SANDBOX_RECORDS: String(records),
      SANDBOX_VARIANT: variant,
    },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let reported: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => {
      resolve(error.message);
    });
    child.once('exit', (code, signal) => {
      resolve(reported ?? `its process ended with ${signal ?? `exit code ${code ?? 'unknown'}`}`);
    });
  });
  const listening = new Promise<string>((resolve, reject) => {
    child.once('message', (message: { url: string } | { error: string }) => {
      if ('url' in message) resolve(message.url);
      else reported = message.error;
    });
    void ended.then((reason) => {
      reject(new Error(`The embedded sandbox did not start: ${reason}`));
    });
  });
  // Handled by `ended`, too.
  listening.catch(() => undefined);
  return { child, listening, ended };
}

async function end({ child, ended }: SandboxProcess): Promise<void> {
  if (child.connected) child.disconnect();
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await ended;
  clearTimeout(overdue);
}
