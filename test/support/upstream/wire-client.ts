import { connect, type Socket } from 'node:net';

/** A client that sees the bytes themselves, and how the connection ends. */
export class WireClient {
  /** How the connection ended: `FIN`, or the code of the error, `ECONNRESET` for a reset. */
  readonly ending: Promise<string>;

  private bytes = Buffer.alloc(0);
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    this.ending = new Promise((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.message);
      });
      socket.on('end', () => {
        resolve('FIN');
      });
    });
    socket.on('data', (bytes: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, bytes]);
      this.wake();
    });
  }

  static to(url: string): WireClient {
    const { hostname, port } = new URL(url);
    return new WireClient(connect(Number(port), hostname));
  }

  /** Sends a GET request. */
  get(target = '/', headers: Record<string, string> = {}): this {
    const lines = Object.entries({ Host: 'upstream', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.send(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** Sends bytes as they are. */
  send(bytes: string): this {
    this.socket.write(bytes, 'latin1');
    return this;
  }

  /** What has arrived so far. */
  get received(): Buffer {
    return this.bytes;
  }

  /** Resolves with what has arrived as soon as it satisfies the condition. */
  async receives(condition: (text: string) => boolean): Promise<string> {
    while (!condition(this.bytes.toString('latin1'))) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.bytes.toString('latin1');
  }

  /** Resolves with the head and the body of the response when the connection has ended. */
  async response(): Promise<{ head: string; body: Buffer; ending: string }> {
    const ending = await this.ending;
    const end = this.bytes.indexOf('\r\n\r\n');
    return { head: this.bytes.toString('latin1', 0, end), body: this.bytes.subarray(end + 4), ending };
  }

  /** Stops reading, so that the other side meets back pressure. */
  stopReading(): void {
    this.socket.pause();
  }

  /** Closes the connection. */
  leave(): void {
    this.socket.destroy();
  }
}
