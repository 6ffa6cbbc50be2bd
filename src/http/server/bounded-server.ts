import type { FastifyInstance } from 'fastify';
import { Server, STATUS_CODES, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import { routeOf } from '../paths';

/** Most connections are idle between two requests. */
const CONNECTIONS_PER_REQUEST = 4;
/** Leaves room for probes and metrics. */
const MIN_CONNECTIONS = 256;
const REQUEST_TIMEOUT_MS = 10_000;
const UNREAD_RESPONSE_MS = 30_000;
/** In progress, of one connection. */
const MAX_PIPELINED = 32;
/** Waiting, of one connection. With more it is not read, and its client's disconnect not noticed. */
const MAX_WAITING = 256;
/** In progress. From here on, connections are read in turns: V8 copies what is in progress. */
const READ_FREELY = 32;
/** Of all connections: unsent responses and waiting requests. */
export const MAX_UNSENT_BYTES = 134_217_728;
/** Memory of a waiting request: 1.7 kB as a rule. Node parses 64 KiB before it can be paused. */
const WAITING_BYTES = 4096;

const OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: REQUEST_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // Balancers have to close idle connections first.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 1000,
};

/** By the code of Node's error; 400 for all others. */
const REFUSALS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

interface Connection {
  /** The bytes of each unsent response, in order. */
  readonly responses: Map<ServerResponse, number>;
  /** Start waiting requests. */
  readonly waiting: (() => void)[];
}

/** An HTTP server that bounds connections, pipelined requests and unread responses. */
export class BoundedServer extends Server {
  private readonly open = new Map<Socket, Connection>();
  /** Not read until their turn. */
  private readonly unread = new Set<Socket>();
  private nextTurn: NodeJS.Immediate | undefined;
  /** Requests in progress. */
  active = 0;
  unsentBytes = 0;

  constructor(
    private readonly listener: RequestListener,
    maxActiveRequests = 0,
  ) {
    super(OPTIONS);
    this.maxConnections = Math.max(MIN_CONNECTIONS, CONNECTIONS_PER_REQUEST * maxActiveRequests);
    this.on('connection', (socket: Socket) => {
      this.open.set(socket, { responses: new Map(), waiting: [] });
      socket.once('close', this.forget.bind(this, socket));
    });
    this.on('request', this.admit.bind(this));
    this.on('clientError', this.refuse.bind(this));
    this.setTimeout(UNREAD_RESPONSE_MS, (socket) => {
      const [next] = this.open.get(socket)?.responses.keys() ?? [];
      // Deadlines bound a response that is not written yet.
      if (next === undefined || next.writableLength > 0) socket.destroy();
    });
  }

  get isFull(): boolean {
    return this.unsentBytes > MAX_UNSENT_BYTES;
  }

  /** Counts the bytes of a response until it is sent. Beyond the limit, closes the connection that holds most. */
  count(response: ServerResponse, bytes: number): void {
    const { socket } = response.req;
    const { responses } = this.open.get(socket) ?? {};
    const before = responses?.get(response);
    if (before === undefined) return;
    if (this.unsentBytes - before + bytes > MAX_UNSENT_BYTES) this.closeLargest();
    if (!this.open.has(socket)) return;
    responses?.set(response, bytes);
    this.unsentBytes += bytes - before;
  }

  /** Whether the connection waits for no other response. */
  isLast(response: ServerResponse): boolean {
    const { responses, waiting } = this.open.get(response.req.socket) ?? {};
    return responses === undefined || (waiting?.length === 0 && [...responses.keys()].at(-1) === response);
  }

  /** Node's own closes connections with unsent responses, and none that are silent or have sent half a request. */
  override closeIdleConnections(): void {
    for (const socket of this.unread) socket.resume();
    this.unread.clear();
    // Between the two, arrived requests are read.
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
    if (connection.responses.size < MAX_PIPELINED && connection.waiting.length === 0) {
      this.start(connection, request, response);
      return;
    }
    connection.waiting.push(this.start.bind(this, connection, request, response));
    this.unsentBytes += WAITING_BYTES;
    if (this.isFull) this.closeLargest();
    // Node resumes the socket after each request, and only one that flows can be paused.
    socket.resume();
    process.nextTick(() => {
      if (connection.waiting.length > MAX_WAITING) socket.pause();
    });
  }

  private start(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.responses.set(response, 0);
    this.active += 1;
    response.once('close', this.sent.bind(this, request.socket, response));
    this.listener(request, response);
  }

  private sent(socket: Socket, response: ServerResponse): void {
    this.active -= 1;
    if (this.active < READ_FREELY) this.readNext();
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    const { responses, waiting } = connection;
    this.unsentBytes -= responses.get(response) ?? 0;
    responses.delete(response);
    if (waiting.length > 0) {
      this.unsentBytes -= WAITING_BYTES;
      waiting.shift()?.();
      if (waiting.length <= MAX_WAITING) socket.resume();
    }
    if (responses.size > 0) return;
    if (!this.listening) socket.destroySoon();
    else if (this.active >= READ_FREELY) this.readLater(socket);
  }

  private readLater(socket: Socket): void {
    socket.pause();
    this.unread.add(socket);
    this.nextTurn ??= setImmediate(this.takeTurn);
  }

  /** Reads one connection in each turn of the event loop, however long requests take. */
  private readonly takeTurn = (): void => {
    this.readNext();
    this.nextTurn = this.unread.size > 0 ? setImmediate(this.takeTurn) : undefined;
  };

  private readNext(): void {
    const [socket] = this.unread;
    if (socket === undefined) return;
    this.unread.delete(socket);
    socket.resume();
  }

  private refuse({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const { responses, waiting = [] } = this.open.get(socket) ?? {};
    // A request whose rest is not read is not late.
    if (waiting.length > MAX_WAITING && code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    const status = REFUSALS[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    if (socket.writable && responses?.size === 0) socket.write(head);
    socket.destroySoon();
  }

  private closeLargest(): void {
    let largest: Socket | undefined;
    let most = 0;
    for (const [socket, connection] of this.open) {
      const held = heldBy(connection);
      if (held > most) [largest, most] = [socket, held];
    }
    if (largest === undefined) return;
    this.forget(largest);
    largest.destroy();
  }

  private forget(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection === undefined) return;
    this.unsentBytes -= heldBy(connection);
    this.open.delete(socket);
    this.unread.delete(socket);
    for (const response of connection.responses.keys()) {
      // Node emits it for the first one only. Files that are being sent are closed by it, others when they are opened.
      if (response.socket === null) response.emit('close');
      response.once('pipe', (source) => source.destroy());
    }
  }
}

function heldBy({ responses, waiting }: Connection): number {
  let total = waiting.length * WAITING_BYTES;
  for (const bytes of responses.values()) total += bytes;
  return total;
}

/** Memory of a stream that is not read: 64 KiB of its own and 64 KiB in the response. */
const STREAM_BYTES = 131_072;

/** Counts unsent bytes; while draining, closes connections after their last response. */
export function countUnsent(fastify: FastifyInstance, lifecycle: { readonly state: string }): void {
  const server = fastify.server as BoundedServer;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (lifecycle.state === 'draining' && server.isLast(reply.raw)) reply.header('Connection', 'close');
    if (!routeOf(request).config.heldOnce) server.count(reply.raw, bytesHeld(payload));
    done();
  });
}

function bytesHeld(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload);
  return payload instanceof Readable ? STREAM_BYTES : 0;
}
