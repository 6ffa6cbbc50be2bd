import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port';
import { ROOT, temporaryFolder, until } from './checks';

export interface Launch {
  /** Name of the server, and of its log file. */
  readonly name: string;
  /** A file that Node runs, relative to the project, or another program with its arguments. */
  readonly entry: string | readonly [program: string, ...args: string[]];
  /** 127.0.0.1 by default. */
  readonly host?: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Its working folder; by default, that of the project. */
  readonly cwd?: string;
  /** A path that responds, and not with 503, once the server is ready. */
  readonly readyAt: string;
}

/** A server that is not ready after this time is treated as one that cannot start. */
const START_MS = 60_000;
const POLL_MS = 5;
const STOP_MS = 28_000;

const children = new Set<ChildProcess>();
const folder = temporaryFolder('shipping-measure');
process.once('exit', () => {
  // SIGTERM, because SIGKILL would end the master process of a balancer only, and its workers would go on.
  for (const child of children) {
    child.kill('SIGTERM');
    // A child that a scenario has stopped handles it only when it goes on.
    child.kill('SIGCONT');
  }
});

/** A server in a process of its own, which writes to a log file, and ends with this process at the latest. */
export class ServerProcess {
  private child!: ChildProcess;

  private constructor(
    readonly name: string,
    private readonly launch: Launch,
    readonly url: string,
    private readonly log: string,
  ) {}

  static async start(launch: Launch): Promise<ServerProcess> {
    const { name, host = '127.0.0.1', port = await freePort() } = launch;
    const server = new ServerProcess(name, launch, `http://${host}:${port}`, join(folder, `${name}.log`));
    await server.startAgain();
    return server;
  }

  /** Starts the server on its port, also once more after its end, and waits until it is ready. */
  async startAgain(): Promise<void> {
    const { readyAt } = this.launch;
    this.child = spawnServer(this.launch, this.url, this.log);
    // Rejects where the program or its folder is missing.
    await once(this.child, 'spawn');
    const isOver = async (): Promise<boolean> => this.hasEnded || (await isReady(this.url + readyAt));
    if (!(await until(isOver, START_MS, POLL_MS)) || this.hasEnded) {
      this.child.kill('SIGKILL');
      throw new Error(`${this.name} does not start:\n${this.output.slice(-4096)}`);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The whole log of the server. */
  get output(): string {
    return readFileSync(this.log, 'utf8');
  }

  /** Empties the log, so that it does not fill the disk; the server, which appends, goes on at its beginning. */
  emptyLog(): void {
    truncateSync(this.log);
  }

  /** Ends the server as an orchestrator does. Resolves with its exit code, or `null` where a signal ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    const overdue = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.kill(signal);
    await ended;
    clearTimeout(overdue);
    return this.child.exitCode;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

function spawnServer({ entry, cwd = ROOT, env = {} }: Launch, url: string, log: string): ChildProcess {
  const [file, ...rest] = typeof entry === 'string' ? [process.execPath, join(ROOT, entry)] : entry;
  const { hostname, port } = new URL(url);
  const output = openSync(log, 'a');
  const child = spawn(file, rest, {
    cwd,
    // Other variables of this environment, such as a proxy or a log level, would change what is measured.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: hostname, PORT: port, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer();
  return response !== undefined && response.status !== 503;
}
