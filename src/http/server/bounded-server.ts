import { type IncomingMessage, type RequestListener, Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMPRESSORS_BYTES } from '../bodies/compressor';
import { bytesOfHeld, type Held, HeldMemory } from '../bodies/held-memory';
import * as bounds from './bounds';
import { ReadTurns } from './read-turns';

/** The status of the response to an error of Node's parser, by the code of the error; for all other codes it is 400. */
const PARSER_ERRORS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** A request with its response, from its arrival until the response is sent. */
interface Exchange {
  /** The event by which Node has emitted the request: it shows whether the request has an `Expect`, and a known one. */
  readonly event: string;
  readonly response: ServerResponse;
  /** Memory of the request, which it holds until then; 0 for the first one, see `maxConnectionsOf`. */
  readonly requestBytes: number;
  /** The body of the response, once it is known. */
  body: Held;
}

class Connection {
  /** In the order of their requests, in which Node sends the responses. */
  readonly inProgress: Exchange[] = [];
  /** Requests that start when others of the connection have their responses. */
  readonly waiting: Exchange[] = [];
  /** Memory of both, in bytes. */
  heldBytes = 0;
  /** When Node last reported to `silent` that the connection was without traffic, by `performance.now()`. */
  checkedAt = 0;
  /** How many such reports in a row found a response that its client could read. */
  unreadChecks = 0;

  constructor(readonly socket: Socket) {}
}

const servers = new WeakMap<Socket, BoundedServer>();

/** The server of a connection: that of the management port is another one than the server of Fastify. */
export function serverOf(socket: Socket): BoundedServer | undefined {
  return servers.get(socket);
}

/** An HTTP server that bounds the memory of connections, pipelined requests and unread responses (D34, D59). */
export class BoundedServer extends Server {
  private readonly open = new Map<Socket, Connection>();
  private readonly turns = new ReadTurns();
  /** Number of requests in progress. */
  active = 0;
  private readonly unsent = new HeldMemory();
  /** Bodies that wait for a compressor, or are in one. */
  private readonly prepared = new HeldMemory();

  constructor(
    private readonly listener: RequestListener,
    maxActiveRequests = 0,
  ) {
    super(bounds.SERVER_OPTIONS);
    this.maxConnections = bounds.maxConnectionsOf(maxActiveRequests);
    // Bounds the memory of a request whose headers have not all arrived. Node drops header fields beyond this number
    // without an error: the number is one more than a request may have, so that `rejectionOf` sees that it has too many.
    this.maxHeadersCount = bounds.MAX_HEADER_FIELDS + 1;
    this.on('connection', (socket: Socket) => {
      const connection = new Connection(socket);
      this.open.set(socket, connection);
      servers.set(socket, this);
      socket.once('close', this.forget.bind(this, connection));
    });
    // Node emits the last two instead of `request` where a request has an `Expect` field, and would respond to it by
    // itself without these listeners.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.on(event, this.admit.bind(this, event));
    this.on('clientError', this.rejectUnparsable.bind(this));
    this.setTimeout(bounds.SILENCE_MS, this.silent.bind(this));
  }

  /** Memory of responses that wait for a compressor or are unsent, and of waiting requests, in bytes. */
  get unsentBytes(): number {
    return this.unsent.bytes + this.prepared.bytes;
  }

  get isFull(): boolean {
    return this.unsentBytes > bounds.MAX_UNSENT_BYTES;
  }

  /** Counts the body of a response until it is sent. */
  count(response: ServerResponse, body: Held): void {
    const connection = this.open.get(response.req.socket);
    const exchange = connection?.inProgress.find((each) => each.response === response);
    if (connection === undefined || exchange === undefined) return;
    this.release(connection, exchange.body);
    exchange.body = body;
    this.hold(connection, body);
  }

  /**
   * Counts a body that has to wait before it can be sent, and the objects that it was made from. No connection is
   * closed for it, because its client may be one that reads.
   *
   * @returns a function that ends the wait; `undefined` where the limit leaves no room
   */
  prepare(body: Held, objectBytes: number): (() => void) | undefined {
    const isAlone = this.prepared.bytes === 0;
    const release = (): void => {
      this.prepared.release(body);
      this.prepared.release(objectBytes);
    };
    this.prepared.hold(body);
    this.prepared.hold(objectBytes);
    if (isAlone || this.unsentBytes + COMPRESSORS_BYTES <= bounds.MAX_UNSENT_BYTES) return release;
    release();
    return undefined;
  }

  /** Whether no other request of the connection is in progress after this one, and none waits. */
  isLast(response: ServerResponse): boolean {
    const connection = this.open.get(response.req.socket);
    if (connection === undefined) return true;
    return connection.waiting.length === 0 && connection.inProgress.at(-1)?.response === response;
  }

  /**
   * `close` calls this method. Node's own would cut off responses that have ended and are not sent yet, and would keep
   * connections that are silent or have sent half a request, for which the shutdown would wait (D27).
   */
  override closeIdleConnections(): void {
    this.turns.end();
    // Only the connections of now are closed: the server may listen again before that, as supertest makes it do.
    const connections = [...this.open.values()];
    // Between the two `setImmediate`, Node reads what has already arrived: connections with a request then have a
    // response and stay open. When they were closed at once, 200 clients lost up to 60 requests at a restart.
    setImmediate(() => {
      setImmediate(() => {
        for (const { socket, inProgress } of connections) if (inProgress.length === 0) socket.destroy();
      });
    });
  }

  private admit(event: string, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    // A chunk may hold several requests. Node parses it to its end even where one of them has made us close the
    // connection; the others get no response.
    if (connection === undefined) return;
    const { inProgress, waiting } = connection;
    const requestBytes = inProgress.length === 0 ? 0 : bounds.bytesOfRequest(request);
    waiting.push({ event, response, requestBytes, body: 0 });
    this.hold(connection, requestBytes);
    if (!this.open.has(socket)) return;
    if (inProgress.length < bounds.MAX_PIPELINED) {
      this.startNext(connection);
      return;
    }
    // A body that waits with its request would hold up to 64 KiB; in chunks of one byte, it would fill the heap. The
    // request is rejected when its turn comes. Clients do not pipeline bodies: one that the server has not read may be
    // lost with the connection (RFC 9112, 9.3.2).
    if (bounds.hasBody(request)) request.resume();
    // Node resumes the socket right after this event, so that a pause has to wait for the next tick.
    process.nextTick(() => {
      if (waiting.length > bounds.MAX_WAITING) socket.pause();
    });
  }

  private startNext({ inProgress, waiting }: Connection): void {
    const exchange = waiting.shift();
    if (exchange === undefined) return;
    inProgress.push(exchange);
    this.active += 1;
    const { event, response } = exchange;
    const { req } = response;
    response.once('close', this.sent.bind(this, exchange));
    const status = bounds.rejectionOf(req) ?? (event === 'checkExpectation' ? 417 : undefined);
    if (status !== undefined) {
      response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
      req.resume();
      return;
    }
    if (event === 'checkContinue') response.writeContinue();
    this.listener(req, response);
  }

  private sent(exchange: Exchange): void {
    const { socket } = exchange.response.req;
    this.active -= 1;
    this.turns.requestEnded(this.active);
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const { inProgress, waiting } = connection;
    this.release(connection, exchange.requestBytes, exchange.body);
    inProgress.splice(inProgress.indexOf(exchange), 1);
    if (waiting.length > 0) {
      this.startNext(connection);
      if (waiting.length <= bounds.MAX_WAITING) socket.resume();
    }
    if (inProgress.length > 0) return;
    if (this.listening) this.turns.connectionIdle(socket, this.active);
    else socket.destroySoon();
  }

  /** Counts memory. Beyond the limit, closes the connection with the largest memory. */
  private hold(connection: Connection, held: Held): void {
    connection.heldBytes += bytesOfHeld(held);
    this.unsent.hold(held);
    if (this.unsent.bytes > bounds.MAX_UNSENT_BYTES) this.closeLargest();
  }

  private release(connection: Connection, ...held: Held[]): void {
    for (const each of held) {
      connection.heldBytes -= bytesOfHeld(each);
      this.unsent.release(each);
    }
  }

  /**
   * Node calls this when nothing was read from a connection or written to it for a second (`SILENCE_MS`), or for 72
   * seconds after its last response (`keepAliveTimeout`). Closes a connection that is idle, and one whose client has
   * read nothing of a waiting response for 30 s.
   */
  private silent(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const [first] = connection.inProgress;
    if (first === undefined && socket.timeout !== bounds.SILENCE_MS) {
      socket.destroy();
      return;
    }
    // Only a response that its client could read is unread. The time of one that is not written yet is limited by the
    // deadline of its upstream call, and that of a request that has not arrived completely by `headersTimeout` and
    // `requestTimeout`.
    const isUnread = first !== undefined && first.response.writableLength > 0;
    // Node calls each second while the client reads nothing. Where clearly more time has passed since the last call,
    // the client has read in between, and its 30 s begin again.
    const now = performance.now();
    const hasRead = now - connection.checkedAt > 1.5 * bounds.SILENCE_MS;
    connection.checkedAt = now;
    const before = hasRead ? 0 : connection.unreadChecks;
    connection.unreadChecks = isUnread ? before + 1 : 0;
    if (connection.unreadChecks >= bounds.MAX_UNREAD_CHECKS) socket.destroy();
    else socket.setTimeout(bounds.SILENCE_MS);
  }

  private rejectUnparsable({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const [first] = connection.inProgress;
    // With more waiting requests than this, the service has paused the connection itself: the rest of a request is late
    // because of the pause, and the client must not get a 408 for it.
    if (connection.waiting.length > bounds.MAX_WAITING && code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    const status = PARSER_ERRORS[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    // A response is written only where the client cannot take it for that of an earlier request: where none is in
    // progress, or only the one whose own body is late or malformed.
    const isItsBody = first !== undefined && !first.response.headersSent && !first.response.req.complete;
    if (first === undefined || isItsBody) socket.write(head);
    // The socket is paused, because data that the client goes on sending would postpone the time-out of a connection
    // without traffic: a client that does not read the response could keep the connection open for ever.
    socket.pause();
    socket.destroySoon();
  }

  private closeLargest(): void {
    let largest: Connection | undefined;
    for (const connection of this.open.values()) {
      if (connection.heldBytes > (largest?.heldBytes ?? 0)) largest = connection;
    }
    if (largest === undefined) return;
    this.forget(largest);
    largest.socket.destroy();
  }

  private forget(connection: Connection): void {
    if (!this.open.delete(connection.socket)) return;
    const { inProgress, waiting } = connection;
    for (const { requestBytes, body } of [...inProgress, ...waiting]) this.release(connection, requestBytes, body);
    for (const { response } of inProgress) {
      // Node 20 emits `close` for the first unsent response of a closed connection only; Node 26 emits it for all. It is
      // emitted here for those behind, which have no socket yet, so that they no longer count as active and their file
      // streams are destroyed.
      if (response.socket === null) response.emit('close');
      // A file that is opened only now would stay open, because its client is gone. `close` has closed all others.
      response.once('pipe', (source) => source.destroy());
    }
  }
}
