import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port';
import { ROOT, temporaryFolder, until } from './checks';

export interface Launch {
  /** Name of the server, and of its log file. */
  readonly name: string;
  /** A program with its arguments. */
  readonly entry: readonly [program: string, ...args: string[]];
  /** Of 127.0.0.1; by default, a free one. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Its working folder; by default, that of the project. */
  readonly cwd?: string;
  /** A path that responds, and not with 503, once the server is ready. */
  readonly readyAt: string;
}

/** Options of Node, by which a process has {@link ServerProcess.metrics}. */
export const PROBE = ['--require', join(__dirname, 'probe.js')] as const;

/** Measurements of a process; with `--expose-gc`, after a garbage collection. */
export interface Metrics {
  readonly heapBytes: number;
  /** Since its start; absent before Node 26. */
  readonly allocatedBytes?: number;
  /** The processor time that it has used. */
  readonly cpuMicros: number;
  readonly connections: number;
  readonly timers: number;
  readonly warnings: readonly string[];
}

/** A server that is not ready after this time is treated as one that cannot start. */
const START_MS = 60_000;
/** The service ends within this time, whatever its clients do (D27). */
const STOP_MS = 25_000;

const children = new Set<ChildProcess>();
const folder = temporaryFolder('shipping-measure');
process.once('exit', () => {
  for (const child of children) child.kill();
});

/** A server in a process of its own, which writes to a log file, and ends with this process at the latest. */
export class ServerProcess {
  private constructor(
    readonly url: string,
    private readonly log: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a server, and waits until it is ready. */
  static async start(launch: Launch): Promise<ServerProcess> {
    const { name, port = await freePort(), readyAt } = launch;
    const log = join(folder, `${name}.log`);
    const server = new ServerProcess(`http://127.0.0.1:${port}`, log, spawnServer(launch, port, log));
    // Rejects where the program or its folder is missing.
    await once(server.child, 'spawn');
    const isOver = async (): Promise<boolean> => server.hasEnded || (await isReady(server.url + readyAt));
    if (!(await until(isOver, START_MS, 5)) || server.hasEnded) {
      server.child.kill('SIGKILL');
      throw new Error(`${name} does not start:\n${server.output.slice(-4096)}`);
    }
    return server;
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

  /** Resolves with the measurements of a process that was started with {@link PROBE}. */
  async metrics(): Promise<Metrics> {
    const reply = once(this.child, 'message', { signal: AbortSignal.timeout(START_MS) });
    this.child.send({});
    return ((await reply) as [Metrics])[0];
  }

  /** Ends the server as an orchestrator does. Resolves with its exit code, or `null` where a signal ended it. */
  async stop(): Promise<number | null> {
    if (this.hasEnded) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    const overdue = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.kill();
    await ended;
    clearTimeout(overdue);
    return this.child.exitCode;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

function spawnServer({ entry, cwd = ROOT, env = {} }: Launch, port: number, log: string): ChildProcess {
  const [file, ...rest] = entry;
  const output = openSync(log, 'a');
  const child = spawn(file, rest, {
    cwd,
    // Other variables of this environment, such as a proxy or a log level, would change what is measured.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', output, output, 'ipc'],
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
