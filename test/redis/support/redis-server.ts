import { Redis } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../../../testing/upstream/eventually';
import { freePort } from '../../support/free-port';

/** A real redis-server on a free loopback port; it writes nothing to disk. */
export class RedisServer {
  private process: ChildProcess | undefined;
  private client: Redis | undefined;

  private constructor(
    readonly port: number,
    private readonly password: string | undefined,
    private readonly options: readonly string[],
  ) {}

  /** @param options further ones of its command line */
  static async start(password?: string, ...options: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), password, options);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://${this.password === undefined ? '' : `:${this.password}@`}127.0.0.1:${this.port}`;
  }

  /** A client for looking into it. */
  get inside(): Redis {
    this.client ??= new Redis(this.url).on('error', () => undefined);
    return this.client;
  }

  /** Starts it, again on the same port where it was stopped; resolves when it accepts connections. */
  async start(): Promise<void> {
    const args = `--port ${this.port} --bind 127.0.0.1 --appendonly no`.split(' ').concat('--save', '', this.options);
    if (this.password !== undefined) args.push('--requirepass', this.password);
    const started = spawn('redis-server', args, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    this.process = started;
    let said = '';
    started.stdout.on('data', (text: Buffer) => (said += text.toString()));
    started.once('error', () => (said = 'It cannot be started; on Debian: apt-get install -y redis-server'));
    const isReady = (): boolean => said.includes('Ready to accept connections');
    await eventually(
      'Redis is ready, or has ended',
      () => isReady() || started.exitCode !== null || started.pid === undefined,
    );
    if (!isReady()) throw new Error(`redis-server did not start: ${said}`);
  }

  /** Stops responding and keeps its connections, until {@link resume}. */
  hang(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** As if its machine had lost power. */
  async kill(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (process?.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  async stop(): Promise<void> {
    this.client?.disconnect();
    await this.kill();
  }
}
