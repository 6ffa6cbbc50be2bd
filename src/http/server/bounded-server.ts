import type { FastifyInstance } from 'fastify';
import { type IncomingMessage, type RequestListener, Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMPRESSORS_BYTES } from '../bodies/compressor';
import { bytesOfHeld, type Held, HeldMemory, memoryOfBody } from '../bodies/held-memory';
import * as bounds from './bounds';
import { ReadTurns } from './read-turns';

/**
 * The status of the response to what Node's parser refuses, by the code of the error; for all other codes it is 400.
 */
const REFUSALS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** The memory that a response holds until it is sent, with that of its request. */
interface Unsent {
  readonly requestBytes: number;
  body: Held;
}

/** A connection, with its responses and waiting requests and the memory that they take. */
class Connection {
  /** The unsent responses, in the order of their requests. */
  readonly responses = new Map<ServerResponse, Unsent>();
  /** The responses to requests that wait until others of the connection are sent. */
  readonly waiting: ServerResponse[] = [];
  /** Memory of the unsent responses and of all requests but the first one, in bytes. */
  heldBytes = 0;
  /** When Node last reported to `silent` that the connection was without traffic, by `performance.now()`. */
  checkedAt = 0;
  /** Since when the client has read nothing of a response that waits, by `performance.now()`. */
  unreadSince = 0;

  constructor(readonly socket: Socket) {}
}

/** The server of each connection: a request may have come to the management port. */
const servers = new WeakMap<Socket, BoundedServer>();

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
    // without an error: the number is one more than a request may have, so that `refusalOf` sees that it has too many.
    this.maxHeadersCount = bounds.MAX_HEADER_FIELDS + 1;
    this.on('connection', (socket: Socket) => {
      const connection = new Connection(socket);
      this.open.set(socket, connection);
      servers.set(socket, this);
      socket.once('close', this.forget.bind(this, connection));
    });
    // Node emits the last two instead of `request` where a request has an `Expect` field, and would respond to it by
    // itself without these listeners.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) this.on(event, this.admit.bind(this));
    this.on('clientError', this.refuse.bind(this));
    this.setTimeout(bounds.SILENCE_MS, this.silent.bind(this));
  }

  /** Memory of responses that wait for a compressor or are unsent, and of waiting requests, in bytes. */
  get unsentBytes(): number {
    return this.unsent.bytes + this.prepared.bytes;
  }

  get isFull(): boolean {
    return this.unsentBytes > bounds.MAX_UNSENT_BYTES;
  }

  /**
   * Counts the memory of a response until it is sent. Beyond the limit, closes the connection with the largest memory.
   */
  count(response: ServerResponse, body: Held): void {
    const connection = this.open.get(response.req.socket);
    const unsent = connection?.responses.get(response);
    if (connection === undefined || unsent === undefined) return;
    this.release(connection, unsent.body);
    unsent.body = body;
    this.hold(connection, body);
    if (this.unsent.bytes > bounds.MAX_UNSENT_BYTES) this.closeLargest();
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

  /**
   * Whether a response is the last one of its connection: no other response is unsent after it, and no request waits.
   */
  isLast(response: ServerResponse): boolean {
    const { responses, waiting } = this.open.get(response.req.socket) ?? {};
    return responses === undefined || (waiting?.length === 0 && [...responses.keys()].at(-1) === response);
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
        for (const { socket, responses } of connections) if (responses.size === 0) socket.destroy();
      });
    });
  }

  private admit(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    // A chunk may hold several requests. Node parses it to its end even where one of them has made us close the
    // connection; the others get no response.
    if (connection === undefined) return;
    const { responses, waiting } = connection;
    if (responses.size === 0) {
      // The request is a part of what `maxConnectionsOf` reckons for its connection.
      this.start(connection, response, 0);
      return;
    }
    const bytes = bounds.bytesOfRequest(request);
    this.hold(connection, bytes);
    if (this.isFull) this.closeLargest();
    if (!this.open.has(socket)) return;
    if (responses.size < bounds.MAX_PIPELINED) {
      this.start(connection, response, bytes);
      return;
    }
    waiting.push(response);
    // A body that waits with its request would hold up to 64 KiB; in chunks of one byte, it would fill the heap. The
    // request is refused when its turn comes. Clients do not pipeline bodies: one that the server has not read may be
    // lost with the connection (RFC 9112, 9.3.2).
    if (bounds.hasBody(request)) request.resume();
    // Node resumes the socket right after this event, so that a pause has to wait for the next tick.
    process.nextTick(() => {
      if (waiting.length > bounds.MAX_WAITING) socket.pause();
    });
  }

  private start({ responses }: Connection, response: ServerResponse, requestBytes: number): void {
    responses.set(response, { requestBytes, body: 0 });
    this.active += 1;
    response.once('close', this.sent.bind(this, response));
    const { req } = response;
    const status = bounds.refusalOf(req);
    if (status !== undefined) {
      response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
      req.resume();
      return;
    }
    // Any other expectation is refused above.
    if (bounds.expectationOf(req) !== undefined) response.writeContinue();
    this.listener(req, response);
  }

  private sent(response: ServerResponse): void {
    const { socket } = response.req;
    this.active -= 1;
    this.turns.requestEnded(this.active);
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const { responses, waiting } = connection;
    const { requestBytes = 0, body = 0 } = responses.get(response) ?? {};
    this.release(connection, requestBytes);
    this.release(connection, body);
    responses.delete(response);
    const next = waiting.shift();
    if (next !== undefined) {
      this.start(connection, next, bounds.bytesOfRequest(next.req));
      if (waiting.length <= bounds.MAX_WAITING) socket.resume();
    }
    if (responses.size > 0) return;
    if (this.listening) this.turns.connectionIdle(socket, this.active);
    else socket.destroySoon();
  }

  private hold(connection: Connection, held: Held): void {
    connection.heldBytes += bytesOfHeld(held);
    this.unsent.hold(held);
  }

  private release(connection: Connection, held: Held): void {
    connection.heldBytes -= bytesOfHeld(held);
    this.unsent.release(held);
  }

  /**
   * Node calls this when nothing was read from a connection or written to it for a second (`SILENCE_MS`), or for 72
   * seconds after its last response (`keepAliveTimeout`). Closes a connection that is idle, and one whose client has
   * read nothing of a waiting response for 30 s.
   */
  private silent(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const [next] = connection.responses.keys();
    if (next === undefined && socket.timeout !== bounds.SILENCE_MS) socket.destroy();
    // Only a response that its client could read is unread. The time of one that is not written yet is limited by the
    // deadline of its upstream call, and that of a request that has not arrived completely by `headersTimeout` and
    // `requestTimeout`.
    const isUnread = next !== undefined && next.writableLength > 0;
    const now = performance.now();
    // Node calls each second while the client reads nothing. Where clearly more time has passed since the last call,
    // the client has read in between, and its 30 s begin again.
    if (!isUnread || now - connection.checkedAt > 1.5 * bounds.SILENCE_MS)
      connection.unreadSince = now - bounds.SILENCE_MS;
    connection.checkedAt = now;
    if (now - connection.unreadSince >= bounds.UNREAD_RESPONSE_MS) socket.destroy();
    else socket.setTimeout(bounds.SILENCE_MS);
  }

  private refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { responses, waiting = [] } = this.open.get(socket) ?? {};
    // With more waiting requests than this, the service has paused the connection itself: the rest of a request is late
    // because of the pause, and the client must not get a 408 for it.
    if (waiting.length > bounds.MAX_WAITING && code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    const status = REFUSALS[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const [first] = responses?.keys() ?? [];
    // A response is written only where the client cannot take it for that of an earlier request: where none is in
    // progress, or only the one whose own body is late or malformed.
    const isItsBody = first?.headersSent === false && !first.req.complete;
    if (responses?.size === 0 || isItsBody) socket.write(head);
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
    const { responses, waiting } = connection;
    for (const { requestBytes, body } of responses.values()) {
      this.release(connection, requestBytes);
      this.release(connection, body);
    }
    for (const each of waiting) this.release(connection, bounds.bytesOfRequest(each.req));
    for (const response of responses.keys()) {
      // Node 20 emits `close` for the first unsent response of a closed connection only; Node 26 emits it for all. It is
      // emitted here for those behind, which have no socket yet, so that they no longer count as active and their file
      // streams are destroyed.
      if (response.socket === null) response.emit('close');
      // A file that is opened only now would stay open, because its client is gone. `close` has closed all others.
      response.once('pipe', (source) => source.destroy());
    }
  }
}

/**
 * Counts the memory of each response until it is sent (D59). While the service drains before its shutdown, closes each
 * connection after its last response.
 */
export function countUnsent(fastify: FastifyInstance, lifecycle: { readonly state: string }): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const server = servers.get(request.raw.socket) ?? (fastify.server as BoundedServer);
    if (lifecycle.state === 'draining' && server.isLast(reply.raw)) reply.header('Connection', 'close');
    const held = memoryOfBody(payload);
    const { objectBytes } = request;
    const isShared = request.routeOptions.config.isSharedBody === true;
    if (!isShared) server.count(reply.raw, objectBytes > 0 ? bytesOfHeld(held) + objectBytes : held);
    // Of a compressed body, only the coding is sent: the text must not be held until then.
    request.sharedBody = undefined;
    done();
  });
}
