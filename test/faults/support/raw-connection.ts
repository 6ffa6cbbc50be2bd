import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../../../testing/upstream/eventually';

/** A response as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  /** Lower-cased names; a repeated header keeps all of its values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

/** A client connection that sends bytes as they are and reads responses as they come. Nothing waits for ever. */
export class RawConnection {
  /** Settles when the other side has ended the connection. */
  readonly ending: Promise<void>;

  private bytes = Buffer.alloc(0);
  private over = false;

  private constructor(private readonly socket: Socket) {
    this.ending = new Promise((resolve) => {
      for (const event of ['error', 'end', 'close']) {
        socket.on(event, () => {
          this.over = true;
          resolve();
        });
      }
    });
    socket.on('data', (bytes: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, bytes]);
    });
  }

  /** Opens a connection; resolves when it is established. */
  static async to(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).setNoDelay(true);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new RawConnection(socket);
  }

  /** Sends bytes, one per character. */
  send(bytes: string): this {
    if (!this.over) this.socket.write(bytes, 'latin1');
    return this;
  }

  /** The responses so far; the one that is still coming is left out unless the connection has ended. */
  get responses(): readonly RawResponse[] {
    return parseResponses(this.bytes, this.over);
  }

  /** Resolves with so many responses, or with fewer where the connection ended first. */
  async receives(count: number): Promise<readonly RawResponse[]> {
    await this.until(() => this.responses.length >= count, `${count} responses`);
    return this.responses;
  }

  /** Resolves with all responses when the other side has ended the connection. */
  async receivesAll(): Promise<readonly RawResponse[]> {
    await this.until(() => false, 'the end of the connection');
    return this.responses;
  }

  /** Closes the sending half (FIN), and reads on. */
  endSending(): void {
    this.socket.end();
  }

  /** Closes the connection without ceremony. */
  leave(): void {
    this.socket.destroy();
  }

  private async until(holds: () => boolean, what: string): Promise<void> {
    await eventually(what, () => this.over || holds()).catch(() => {
      throw new Error(`Waited for ${what}, got ${JSON.stringify(this.bytes.toString('latin1'))}`);
    });
  }
}

/** Opens the connection of a client that does not read. */
export async function unreadConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes over a connection of their own and resolves with what comes back until `count` responses are there. */
export async function exchangeRaw(url: string, bytes: string, count = 1): Promise<readonly RawResponse[]> {
  const connection = await RawConnection.to(url);
  try {
    return await connection.send(bytes).receives(count);
  } finally {
    connection.leave();
  }
}

/** Cuts bytes into responses. */
function parseResponses(bytes: Buffer, over: boolean): RawResponse[] {
  const text = bytes.toString('latin1');
  const responses: RawResponse[] = [];
  for (let at = 0; at < text.length;) {
    const headEnd = text.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = text.slice(at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? NaN);
    const headers = headersOf(lines);
    const start = headEnd + 4;
    const { from, to, end } = bodyRange(status, headers, text, start, over);
    if (end > text.length) break;
    responses.push({ status, headers, body: bytes.toString('utf8', from, to) });
    at = end;
  }
  return responses;
}

function headersOf(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return headers;
}

/** Where the body lies and where the response ends; beyond the text where it is not complete. None comes in chunks. */
function bodyRange(status: number, headers: RawResponse['headers'], text: string, start: number, over: boolean) {
  if (status < 200 || status === 204 || status === 304) return { from: start, to: start, end: start };
  const [length] = headers['content-length'] ?? [];
  if (length !== undefined) return { from: start, to: start + Number(length), end: start + Number(length) };
  return { from: start, to: text.length, end: over ? text.length : Infinity };
}
