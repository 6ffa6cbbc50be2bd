import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Connections that are opened at a time: more than the kernel queues for the service would be delayed by a second. */
const OPENED_AT_ONCE = 50;
/** A client gives up after so many milliseconds without a byte. */
const patienceOf = (ms: number): Agent.Options => ({ headersTimeout: ms, bodyTimeout: ms });

/** Clients that try to use up the service's memory, until they are stopped. */
export class HostileClients {
  /** What reading clients got: `complete`, another completeness, the status, `gave up`, or what broke it off. */
  readonly read: string[] = [];
  /** Closes a connection, or the connections of a program. */
  private readonly closers: (() => void)[] = [];
  private readonly readers: Promise<void>[] = [];
  private isStopped = false;

  constructor(private readonly url: string) {}

  /** Opens connections one after the other, sends the text on each, and never reads a response. */
  async leaveUnread(connections: number, text: string): Promise<void> {
    const { hostname, port } = new URL(this.url);
    for (let opened = 0; opened < connections; opened += 1) {
      const socket = connect(Number(port), hostname).pause();
      socket.on('error', () => undefined).write(text);
      this.closers.push(() => socket.destroy());
      if (opened % OPENED_AT_ONCE === 0) await pause(0);
    }
  }

  /** Sends the text on so many connections whose windows are small, and never reads a response. */
  async leaveUnreadBehindSmallWindows(connections: number, text: string): Promise<void> {
    const { hostname, port } = new URL(this.url);
    const program = [join(__dirname, 'small-windows.py'), hostname, port, String(connections)];
    const child = spawn('python3', program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.closers.push(() => child.kill());
    child.stdin.end(text);
    // Ends with its output where the service closes connections before it has opened all.
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  }

  /** Sends requests on some connections, and resolves when all have their responses, with what was read. */
  async readAll(requests: readonly Request[]): Promise<string[]> {
    const agent = new Agent({ connections: 32, ...patienceOf(60_000) });
    const read = await Promise.all(requests.map((request) => this.readOne(agent, request)));
    await agent.close();
    this.read.push(...read);
    return read;
  }

  /** Clients that send a request, read its response at full speed, and send the next one, until they are stopped. */
  keepReading(clients: number, path: (client: number) => string, headers: Request['headers']): void {
    const agent = new Agent(patienceOf(15_000));
    for (let client = 0; client < clients; client += 1) {
      this.readers.push(this.readUntilStopped(agent, { path: path(client), headers }));
    }
  }

  /** Closes all connections without waiting for responses. Clients that keep reading send no more requests. */
  stop(): void {
    this.isStopped = true;
    for (const close of this.closers.splice(0)) close();
  }

  /** Stops, and resolves when those that keep reading have their last response. */
  async finish(): Promise<void> {
    this.stop();
    await Promise.all(this.readers);
  }

  private async readUntilStopped(agent: Agent, request: Request): Promise<void> {
    while (!this.isStopped) {
      const outcome = await this.readOne(agent, request);
      this.read.push(outcome);
      // A refused client comes back after a while.
      if (outcome !== 'complete') await pause(100);
    }
  }

  private async readOne(agent: Agent, request: Request): Promise<string> {
    try {
      const response = await agent.request({ origin: this.url, method: 'GET', ...request });
      await finished(response.body.resume());
      if (response.statusCode !== 200) return String(response.statusCode);
      return /^[a-z]+/.exec(String(response.headers['shipping-completeness']))?.[0] ?? 'other';
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      // A busy machine may let a client wait for its turn for longer than its patience: nothing was broken off.
      return code === 'UND_ERR_HEADERS_TIMEOUT' ? 'gave up' : `broken off (${code ?? message})`;
    }
  }
}
