import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 10_000;

/** A real redis-server on a free loopback port, without persistence. */
export class RedisServer {
  private constructor(
    private child: ChildProcess,
    readonly port: number,
    private readonly directory: string,
    private readonly args: readonly string[],
  ) {}

  static async start(args: readonly string[] = []): Promise<RedisServer> {
    const directory = mkdtempSync(join(tmpdir(), 'redis-'));
    // Another process may take the port before Redis has it.
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const server = new RedisServer(launch(port, directory, args), port, directory, args);
      try {
        await server.untilUp();
        return server;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Stops answering and keeps its connections, until {@link resume}. */
  hang(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends it at once, as a crash would; what it held is lost. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** Starts it again at the same port, empty. */
  async restart(): Promise<void> {
    await this.kill();
    this.child = launch(this.port, this.directory, this.args);
    await this.untilUp();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async untilUp(): Promise<void> {
    const deadline = performance.now() + START_MS;
    while (!(await answers(this.port))) {
      if (this.child.exitCode !== null || performance.now() > deadline) throw new Error('redis-server did not start');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

function launch(port: number, directory: string, args: readonly string[]): ChildProcess {
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'no'];
  return spawn('redis-server', [...fixed, ...args], { stdio: 'ignore' });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether something at this port answers as Redis does; wanting a password is an answer. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(500, () => socket.destroy());
    socket.on('data', (data) => {
      resolve(/^(\+PONG|-NOAUTH)/.test(data.toString()));
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(false);
    });
  });
}
