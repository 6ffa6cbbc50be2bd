import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Launch {
  /** Names its log file. */
  readonly name: string;
  /** Entry below the project's root, for Node; or a program of another kind, with its arguments. */
  readonly entry: string | readonly [program: string, ...args: string[]];
  /** Any free one, where left out. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Cores to bind it to; where there are none, it runs where this process does. */
  readonly cores?: string | undefined;
  /** Path that responds with anything but 503 once the server is ready, or another way to find out. */
  readonly readyAt: string | ((url: string) => Promise<boolean>);
  /** What ends it, with the processes that it has started, where this process ends without having stopped it. */
  readonly lastResort?: NodeJS.Signals;
}

const ROOT = join(__dirname, '..');
/** Bounds hangs. */
const START_MS = 60_000;
const POLL_MS = 5;
const STOP_MS = 25_000;
const MAX_LOG_BYTES = 32 * 1024 ** 2;

const children = new Map<ChildProcess, NodeJS.Signals>();
let logs: string | undefined;

/** A server in a process of its own, its output in a file. It never outlives this process. */
export class ServerProcess {
  private constructor(
    private readonly launch: Launch,
    readonly url: string,
    /** File with what it has written. */
    readonly log: string,
    private child: ChildProcess,
  ) {}

  /** Starts it and waits until it is ready. */
  static async start(launch: Launch): Promise<ServerProcess> {
    const url = `http://127.0.0.1:${launch.port ?? (await freePort())}`;
    const log = join(logDirectory(), `${launch.name}-${children.size}.log`);
    return new ServerProcess(launch, url, log, await startedChild(launch, url, log));
  }

  /** Starts it once more after it has ended, on the same port, and waits until it is ready. */
  async startAgain(): Promise<void> {
    this.child = await startedChild(this.launch, this.url, this.log);
  }

  get name(): string {
    return this.launch.name;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Keeps the log from filling the disk: the server appends, so it goes on at the beginning. */
  trimLog(): void {
    if (statSync(this.log).size > MAX_LOG_BYTES) truncateSync(this.log);
  }

  /** What it has written. */
  get output(): string {
    return readFileSync(this.log, 'utf8');
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends it as an orchestrator does, or by another signal; resolves with its exit code, `null` where a signal ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (hasEnded(this.child)) return this.child.exitCode;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    const overdue = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.kill(signal);
    await ended;
    clearTimeout(overdue);
    return this.child.exitCode;
  }
}

async function startedChild(launch: Launch, url: string, log: string): Promise<ChildProcess> {
  const startedAt = performance.now();
  const child = spawnServer(launch, url, log);
  const { readyAt } = launch;
  while (!(await (typeof readyAt === 'string' ? isReady(`${url}${readyAt}`) : readyAt(url)))) {
    if (hasEnded(child) || performance.now() - startedAt > START_MS) {
      child.kill('SIGKILL');
      throw new Error(`${launch.name} does not start:\n${readFileSync(log, 'utf8').slice(-4096)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return child;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function spawnServer(launch: Launch, url: string, log: string): ChildProcess {
  const { entry, cores, env = {} } = launch;
  const command = typeof entry === 'string' ? [process.execPath, join(ROOT, entry)] : entry;
  const [file = '', ...rest] = cores === undefined ? command : ['taskset', '--cpu-list', cores, ...command];
  const output = openSync(log, 'a');
  const child = spawn(file, rest, {
    cwd: ROOT,
    // Nothing else of this environment, such as a proxy or a log level, may change what is measured.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: new URL(url).port, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  children.set(child, launch.lastResort ?? 'SIGKILL');
  child.once('exit', () => children.delete(child));
  return child;
}

/** Whether a URL responds, and not with 503. */
async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status !== 503;
  } catch {
    return false;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

function logDirectory(): string {
  if (logs !== undefined) return logs;
  const directory = mkdtempSync(join(tmpdir(), 'shipping-bench-'));
  process.once('exit', () => {
    for (const [child, signal] of children) child.kill(signal);
    rmSync(directory, { recursive: true, force: true });
  });
  if (process.listenerCount('SIGINT') === 0) process.once('SIGINT', () => process.exit(130));
  if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit(143));
  return (logs = directory);
}
