import type { FastifyInstance } from 'fastify';
import { Server, STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import { routeOf } from '../paths';
import * as bounds from './bounds';
import { ReadTurns } from './read-turns';

const HEADERS_TIMEOUT_MS = 10_000;
const UNREAD_RESPONSE_MS = 30_000;
/** How often a silent connection is looked at: Node does not report when a client has read a part of a response. */
const SILENCE_MS = 1000;
/** Requests of one connection that may be in progress. */
const MAX_PIPELINED = 32;
/**
 * Pipelined requests that may wait on one connection. Above it the socket is paused, and a paused socket does not report
 * that its client left.
 */
const MAX_WAITING = 256;

const OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: HEADERS_TIMEOUT_MS,
  // Node's own limit, for bodies that routes of teams read.
  requestTimeout: 300_000,
  // Longer than balancers keep idle connections, because the side that sends requests has to close them first.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1000,
};

/** The status for each error code of Node's parser; all others are 400. */
const REFUSALS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** A connection, and what the server holds for it. */
class Connection {
  /** The bytes of each unsent response, in the order of their requests. */
  readonly responses = new Map<ServerResponse, number>();
  /** The responses to requests that wait until others of the connection are sent. */
  readonly waiting: ServerResponse[] = [];
  /** Memory of both, in bytes. */
  heldBytes = 0;
  /** Times of `performance.now()`: of the last look at the silent connection, and since when its client reads nothing. */
  lookedAt = 0;
  unreadSince = 0;

  constructor(readonly socket: Socket) {}
}

/** An HTTP server that bounds connections, pipelined requests and unread responses by the memory that they hold. */
export class BoundedServer extends Server {
  private readonly open = new Map<Socket, Connection>();
  private readonly turns = new ReadTurns();
  /** Number of requests in progress. */
  active = 0;
  /** Memory of unsent responses and waiting requests, in bytes. */
  unsentBytes = 0;

  constructor(
    private readonly listener: RequestListener,
    maxActiveRequests = 0,
  ) {
    super(OPTIONS);
    this.maxConnections = bounds.maxConnectionsOf(maxActiveRequests);
    // One more than a request may have, so that it is refused: Node drops header fields beyond this number in silence.
    this.maxHeadersCount = bounds.MAX_HEADER_FIELDS + 1;
    this.on('connection', (socket: Socket) => {
      const connection = new Connection(socket);
      this.open.set(socket, connection);
      socket.once('close', this.forget.bind(this, connection));
    });
    this.on('request', this.admit.bind(this));
    this.on('clientError', this.refuse.bind(this));
    this.setTimeout(SILENCE_MS, this.silent.bind(this));
  }

  get isFull(): boolean {
    return this.unsentBytes > bounds.MAX_UNSENT_BYTES;
  }

  /** Counts the bytes of a response until it is sent. Beyond the limit, closes the connection that holds most. */
  count(response: ServerResponse, bytes: number): void {
    const connection = this.open.get(response.req.socket);
    const before = connection?.responses.get(response);
    if (connection === undefined || before === undefined) return;
    if (this.unsentBytes - before + bytes > bounds.MAX_UNSENT_BYTES) this.closeLargest();
    if (!this.open.has(connection.socket)) return;
    connection.responses.set(response, bytes);
    this.hold(connection, bytes - before);
  }

  /** Whether the connection waits for no other response. */
  isLast(response: ServerResponse): boolean {
    const { responses, waiting } = this.open.get(response.req.socket) ?? {};
    return responses === undefined || (waiting?.length === 0 && [...responses.keys()].at(-1) === response);
  }

  /** Node's own method closes connections with unsent responses, and leaves those that are silent or have sent half a request. */
  override closeIdleConnections(): void {
    this.turns.end();
    // Requests that have arrived are read between the two turns of the event loop.
    setImmediate(() => {
      setImmediate(() => {
        for (const [socket, { responses }] of this.open) if (responses.size === 0) socket.destroy();
      });
    });
  }

  private admit(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    // Node parses a chunk to its end, also when the connection was closed within it.
    if (connection === undefined) return;
    const { responses, waiting } = connection;
    if (responses.size < MAX_PIPELINED && waiting.length === 0) {
      this.start(connection, response);
      return;
    }
    waiting.push(response);
    this.hold(connection, bounds.bytesOfRequest(request));
    if (this.isFull) this.closeLargest();
    // Node has paused the connection of a client that does not read, and it has to stay so: what is read is no silence.
    if (socket.writableNeedDrain) return;
    // Node resumes the socket after each request, and only one that flows can be paused.
    socket.resume();
    process.nextTick(() => {
      if (waiting.length > MAX_WAITING) socket.pause();
    });
  }

  private start({ responses }: Connection, response: ServerResponse): void {
    responses.set(response, 0);
    this.active += 1;
    response.once('close', this.sent.bind(this, response));
    const status = bounds.refusalOf(response.req);
    if (status === undefined) this.listener(response.req, response);
    else response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
  }

  private sent(response: ServerResponse): void {
    const { socket } = response.req;
    this.active -= 1;
    this.turns.requestEnded(this.active);
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const { responses, waiting } = connection;
    this.hold(connection, -(responses.get(response) ?? 0));
    responses.delete(response);
    const next = waiting.shift();
    if (next !== undefined) {
      this.hold(connection, -bounds.bytesOfRequest(next.req));
      this.start(connection, next);
      if (waiting.length <= MAX_WAITING) socket.resume();
    }
    if (responses.size > 0) return;
    if (!response.req.complete) closeWithoutBody(response.req);
    if (this.listening) this.turns.connectionIdle(socket, this.active);
    else socket.destroySoon();
  }

  private hold(connection: Connection, bytes: number): void {
    connection.heldBytes += bytes;
    this.unsentBytes += bytes;
  }

  /** Nothing was read from a connection, or written to it, for a second; or for 72 seconds after its last response. */
  private silent(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const [next] = connection.responses.keys();
    if (next === undefined && socket.timeout !== SILENCE_MS) socket.destroy();
    // Deadlines bound a response that is not written yet, and a request that has not arrived whole.
    const isUnread = next !== undefined && next.writableLength > 0;
    const now = performance.now();
    // Node reports no silence while the client reads, so that between two reports there is more time than usual.
    if (!isUnread || now - connection.lookedAt > 1.5 * SILENCE_MS) connection.unreadSince = now - SILENCE_MS;
    connection.lookedAt = now;
    if (now - connection.unreadSince >= UNREAD_RESPONSE_MS) socket.destroy();
    else socket.setTimeout(SILENCE_MS);
  }

  private refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { responses, waiting = [] } = this.open.get(socket) ?? {};
    const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    // Above this number the connection is not read, so that the rest of a request is late because of the service.
    if (waiting.length > MAX_WAITING && isLate) return;
    const status = REFUSALS[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const [first] = responses?.keys() ?? [];
    // The only request of the connection that is in progress may be the one whose body is late.
    const isItsBody = isLate && responses?.size === 1 && first?.headersSent === false && !first.req.complete;
    if (socket.writable && (responses?.size === 0 || isItsBody)) socket.write(head);
    // What else the client sends must not count as activity of one that does not read.
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
    this.unsentBytes -= connection.heldBytes;
    this.turns.forget(connection.socket);
    for (const response of connection.responses.keys()) {
      // Node emits `close` for the first unsent response only; it is emitted here for those behind it.
      if (response.socket === null) response.emit('close');
      // A file that is opened too late is closed again; those that are being sent are closed by the event above.
      response.once('pipe', (source) => source.destroy());
    }
  }
}

/** A body that no route has read has as much time as the headers of the next request. */
function closeWithoutBody(request: IncomingMessage): void {
  const { socket } = request;
  const overdue = setTimeout(() => {
    socket.destroy();
  }, HEADERS_TIMEOUT_MS).unref();
  request.once('close', () => {
    clearTimeout(overdue);
  });
  request.resume();
}

/** Counts unsent bytes; while draining, closes connections after their last response. */
export function countUnsent(fastify: FastifyInstance, lifecycle: { readonly state: string }): void {
  const server = fastify.server as BoundedServer;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.state === 'draining' && server.isLast(reply.raw)) reply.header('Connection', 'close');
    const isShared = routeOf(request).config.isSharedBody === true;
    const body = isShared ? payload : bounds.heldOutsideHeap(payload);
    if (!isShared) server.count(reply.raw, bounds.bytesOfBody(body));
    done(null, body);
  });
}
