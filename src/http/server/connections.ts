import { EventEmitter } from 'node:events';
import { Server, type RequestListener, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that have no complete response; these are sent in order anyway. */
const MAX_PIPELINED = 32;
/** How long a connection may hold unsent bytes without a response that is sent completely, while too many are unsent. */
const SLOW_MS = 10_000;
/** Unsent bytes of one connection beyond which no further request of it is started. */
const MAX_UNSENT_BYTES = 1_048_576;

interface Connection {
  /** Responses that are not sent completely, with their bytes as far as these are known. */
  readonly responses: Map<ServerResponse, number>;
  /** Starts the requests that wait until less is unsent. */
  waiting: (() => void)[];
  unsent: number;
  /** When its bytes began to wait, or its last response was sent; on the clock of `performance.now()`. */
  since: number;
}

/** The connections of all servers of the process, and the bytes that their clients have not taken yet. */
export class Connections {
  private readonly connections = new Map<Socket, Connection>();
  private readonly events = new EventEmitter<{ sent: [] }>();
  private total = 0;

  /** Bytes of responses that are not sent completely. */
  get unsentBytes(): number {
    return this.total;
  }

  /** Passes requests on to a listener. A connection with more than 32 requests in progress is closed. */
  bound(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // Requests of a chunk are parsed to its end, also when the connection was closed within it.
      if (socket.destroyed) return;
      const connection = this.connections.get(socket) ?? this.open(socket);
      if (connection.responses.size >= MAX_PIPELINED) {
        socket.destroy();
        return;
      }
      connection.responses.set(response, 0);
      response.once('close', () => {
        this.sent(connection, response);
      });
      if (connection.unsent <= MAX_UNSENT_BYTES) listener(request, response);
      else
        connection.waiting.push(() => {
          listener(request, response);
        });
    };
  }

  /** Counts the bytes of a response until it is sent or its connection closed; a second call corrects the first. */
  count(response: ServerResponse, bytes: number): void {
    const connection = this.connections.get(response.req.socket);
    const before = connection?.responses.get(response);
    if (connection === undefined || before === undefined) return;
    if (connection.unsent === 0) connection.since = performance.now();
    connection.responses.set(response, bytes);
    connection.unsent += bytes - before;
    this.total += bytes - before;
  }

  /** Closes the connection that has held unsent bytes for the longest time, where that is longer than 10 s. */
  closeSlowest(): void {
    let slowest: readonly [Socket, Connection] | undefined;
    for (const entry of this.connections) {
      if (entry[1].unsent > 0 && entry[1].since < (slowest?.[1].since ?? Infinity)) slowest = entry;
    }
    if (slowest !== undefined && performance.now() - slowest[1].since > SLOW_MS) slowest[0].destroy();
  }

  /** Whether a request of a connection is in progress and its client has taken every response that was written. */
  isWorkingFor(socket: Socket): boolean {
    const connection = this.connections.get(socket);
    return connection !== undefined && connection.responses.size > 0 && !hasUnsent(connection);
  }

  /** Whether a complete request has no response, or a part of it: bytes that are written now would be taken for it. */
  isResponding(socket: Socket): boolean {
    const [response] = this.connections.get(socket)?.responses.keys() ?? [];
    return response !== undefined && (response.headersSent || response.req.complete);
  }

  /** Calls back as soon as no response is written and not sent. */
  whenSent(callback: () => void): void {
    if (![...this.connections.values()].some(hasUnsent)) callback();
    else
      this.events.once('sent', () => {
        this.whenSent(callback);
      });
  }

  private open(socket: Socket): Connection {
    const connection: Connection = { responses: new Map(), waiting: [], unsent: 0, since: 0 };
    this.connections.set(socket, connection);
    // Node emits no `close` of the responses behind the first one.
    socket.once('close', () => {
      this.connections.delete(socket);
      connection.waiting = [];
      for (const response of connection.responses.keys()) this.sent(connection, response);
    });
    return connection;
  }

  private sent(connection: Connection, response: ServerResponse): void {
    const bytes = connection.responses.get(response);
    if (bytes === undefined) return;
    connection.responses.delete(response);
    connection.unsent -= bytes;
    connection.since = performance.now();
    this.total -= bytes;
    while (connection.unsent <= MAX_UNSENT_BYTES && connection.waiting.length > 0) connection.waiting.shift()?.();
    this.events.emit('sent');
  }
}

/**
 * An HTTP server that closes a connection as idle only once its responses are sent; Node does when they are written. Node
 * leaves connections open that never sent a byte; these are closed at once.
 */
export class BoundedServer extends Server {
  private readonly open = new Set<Socket>();

  constructor(
    options: ServerOptions,
    listener: RequestListener,
    private readonly tracked: Connections,
  ) {
    super(options, tracked.bound(listener));
    this.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Node calls it to close the server. */
  override closeIdleConnections(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
    this.tracked.whenSent(() => {
      super.closeIdleConnections();
    });
  }
}

function hasUnsent({ responses }: Connection): boolean {
  return [...responses.keys()].some((response) => response.writableEnded);
}
