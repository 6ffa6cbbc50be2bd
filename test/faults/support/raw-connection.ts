import { connect, type Socket } from 'node:net';
import { eventually } from '../../../testing/upstream/eventually';
import { assertDescribed } from '../../support/described-response';

/** A response as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  /** Lower-cased names; a repeated header keeps all of its values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

const LONGEST_SENT = 1_000_000;
const REQUEST_LINE = /(?:^|\n)([A-Z-]+) (\S+) HTTP\/1\.[01]\r?\n/g;

/** A client connection that sends bytes as they are and reads responses as they come. Nothing waits for ever. */
export class RawConnection {
  /** How the connection ended: `FIN`, or the code of the error. */
  readonly ending: Promise<string>;

  private bytes = Buffer.alloc(0);
  private sent = '';
  private over = false;

  private constructor(private readonly socket: Socket) {
    this.ending = new Promise((resolve) => {
      const end = (how: string): void => {
        this.over = true;
        resolve(how);
      };
      socket.on('error', (error: NodeJS.ErrnoException) => {
        end(error.code ?? error.message);
      });
      for (const [event, how] of Object.entries({ end: 'FIN', close: 'closed' })) {
        socket.on(event, () => {
          end(how);
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

  /** Whether the other side has ended the connection. */
  get ended(): boolean {
    return this.over;
  }

  /** Sends bytes, one per character. */
  send(bytes: string): this {
    this.sent += bytes;
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
    return this.described();
  }

  /** Resolves with all responses when the other side has ended the connection. */
  async receivesAll(): Promise<readonly RawResponse[]> {
    await this.until(() => false, 'the end of the connection');
    return this.described();
  }

  /** The responses, held against the document where it is plain which request each of them is of. */
  private described(): readonly RawResponse[] {
    const { responses } = this;
    const final = responses.filter(({ status }) => status >= 200);
    // Longer than any request of a route.
    if (this.sent.length > LONGEST_SENT) return responses;
    const requests = [...this.sent.matchAll(REQUEST_LINE)];
    if (requests.length !== final.length) return responses;
    final.forEach(({ status, headers, body }, index) => {
      const [, method = '', target = ''] = requests[index] ?? [];
      // What Node refuses gets a bare response, which the document does not describe.
      if ([400, 408, 417, 431].includes(status) && body === '' && method !== 'HEAD') return;
      const isEncoded = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
      assertDescribed({ method, target }, { status, headers, body: isEncoded ? undefined : body });
    });
    return responses;
  }

  /** Stops reading, so that the other side meets back pressure. */
  stopReading(): void {
    this.socket.pause();
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

const EMPTY_CHUNKED_BODY = '0\r\n\r\n';

/** Where the body lies and where the response ends; beyond the text where it is not complete. Chunks are not undone. */
function bodyRange(status: number, headers: RawResponse['headers'], text: string, start: number, over: boolean) {
  if (status < 200 || status === 204 || status === 304) return { from: start, to: start, end: start };
  const [length] = headers['content-length'] ?? [];
  if (length !== undefined) return { from: start, to: start + Number(length), end: start + Number(length) };
  if (headers['transfer-encoding'] !== undefined) {
    const last = text.indexOf(EMPTY_CHUNKED_BODY, start);
    return { from: start, to: last, end: last < 0 ? Infinity : last + EMPTY_CHUNKED_BODY.length };
  }
  return { from: start, to: text.length, end: over ? text.length : Infinity };
}
