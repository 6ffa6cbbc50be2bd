import type { Socket } from 'node:net';
import { type Behaviour, type Death, Exchange } from './exchange';
import { type Outcome, ReceivedCall, type RequestHead } from './received-call';

const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD_CHARACTERS = 256 * 1024;
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/(1\.[01])$/;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;

/** The bytes are no request that the upstream understands. */
class MalformedRequest extends Error {}

/**
 * Cuts the bytes of one connection into requests without a body, which is all that queries send. Bytes that never
 * complete a head (a TLS greeting on a plain port, say) simply wait.
 */
class RequestReader {
  private pending = '';

  /** Takes bytes and returns the requests that they complete; none, one or several. */
  push(bytes: Buffer): RequestHead[] {
    this.pending += bytes.toString('latin1');
    const heads: RequestHead[] = [];
    for (let end = this.pending.indexOf(END_OF_HEAD); end >= 0; end = this.pending.indexOf(END_OF_HEAD)) {
      heads.push(parse(this.pending.slice(0, end)));
      this.pending = this.pending.slice(end + END_OF_HEAD.length);
    }
    if (this.pending.length > MAX_HEAD_CHARACTERS) {
      throw new MalformedRequest('a request head of more than 256 KiB');
    }
    return heads;
  }
}

function parse(head: string): RequestHead {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [, method, target, httpVersion] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined || httpVersion === undefined) {
    throw new MalformedRequest(`no request line: ${JSON.stringify(requestLine)}`);
  }
  const rawHeaders = lines.map(parseHeader);
  if (rawHeaders.some(([name, value]) => announcesBody(name.toLowerCase(), value))) {
    throw new MalformedRequest('a request with a body');
  }
  return { method, target, httpVersion, rawHeaders };
}

function parseHeader(line: string): [string, string] {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new MalformedRequest(`no header line: ${JSON.stringify(line)}`);
  }
  return [name, value];
}

function announcesBody(name: string, value: string): boolean {
  return name === 'transfer-encoding' || (name === 'content-length' && value !== '0');
}

/** What a connection tells the upstream, and asks of it. */
export interface ConnectionOwner {
  /** A request has arrived. */
  received(call: ReceivedCall): void;
  /** What is to be done with the call, now that it is its turn. */
  behaviourFor(call: ReceivedCall): Promise<Behaviour>;
  /** The call has ended. */
  settled(call: ReceivedCall): void;
  /** A request came over a connection that was to die on reuse, or that has been closed; nobody has looked at it. */
  reuseRefused(): void;
  /** A script or a behaviour threw. */
  failed(error: unknown): void;
}

/** One connection of a client: reads its requests and performs a behaviour for each, in their order. */
export class Connection {
  private readonly reader = new RequestReader();
  private turn: Promise<void> = Promise.resolve();
  private deathOnReuse: Death | undefined;
  private leftBy: Outcome | undefined;
  private current: AbortController | undefined;

  constructor(
    private readonly id: number,
    private readonly socket: Socket,
    private readonly rawSocket: Socket,
    private readonly owner: ConnectionOwner,
  ) {
    socket.setNoDelay(true);
    // Errors only announce the 'close' that follows them.
    for (const each of new Set([socket, rawSocket])) {
      each.on('error', () => undefined);
      each.on('close', () => {
        this.end('aborted');
      });
    }
    socket.on('end', () => {
      this.end('aborted');
    });
    socket.on('data', (bytes: Buffer) => {
      this.receive(bytes);
    });
  }

  /** Destroys the connection without ceremony. */
  hangUp(): void {
    this.end('closed');
  }

  private end(by: Outcome): void {
    if (this.leftBy === undefined) {
      this.leftBy = by;
      this.current?.abort();
      this.socket.destroy();
      this.rawSocket.destroy();
    }
  }

  private receive(bytes: Buffer): void {
    if (this.deathOnReuse !== undefined || this.socket.writableEnded) {
      this.owner.reuseRefused();
      this.die(this.deathOnReuse);
      return;
    }
    let heads: RequestHead[];
    try {
      heads = this.reader.push(bytes);
    } catch {
      this.socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    for (const head of heads) {
      const call = new ReceivedCall(head, this.id);
      this.owner.received(call);
      this.turn = this.turn.then(() => this.serve(call));
    }
  }

  private die(death: Death = 'close'): void {
    if (death === 'reset') {
      this.rawSocket.resetAndDestroy();
    } else {
      this.socket.end();
    }
  }

  private async serve(call: ReceivedCall): Promise<void> {
    if (!this.socket.destroyed && !this.socket.writableEnded) {
      this.current = new AbortController();
      const exchange = new Exchange(call, this.socket, this.rawSocket, this.current.signal);
      // A client that leaves ends the call even where a behaviour or a script still waits for something else.
      await Promise.race([this.perform(exchange), exchange.untilGone()]);
      this.deathOnReuse = exchange.deathOnReuse;
    }
    call.settle(this.leftBy ?? 'finished');
    this.owner.settled(call);
  }

  private async perform(exchange: Exchange): Promise<void> {
    try {
      const behaviour = await this.owner.behaviourFor(exchange.call);
      await behaviour.perform(exchange);
    } catch (error) {
      this.owner.failed(error);
      exchange.reset();
    }
  }
}
