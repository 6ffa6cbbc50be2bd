import { type IncomingMessage, type RequestListener, Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import * as bounds from './bounds';
import { Connection, connectionOf, type Start } from './connection';
import { bytesOf, type Held } from './held-memory';
import { ReadTurns } from './read-turns';

/** The status of the response to an error of Node's parser, by the code of the error; for all other codes it is 400. */
const PARSER_ERRORS: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/**
 * An HTTP server that bounds requests, connections and the memory of responses that clients do not read (D34, D59). Of
 * one connection, one request at a time is in progress: only attacks pipeline.
 */
export class BoundedServer extends Server {
  private readonly open = new Set<Connection>();
  private readonly turns = new ReadTurns();
  /** Bodies that wait for a compressor, or are in one. */
  private readonly prepared = new Set<Held>();
  /** Number of requests in progress. */
  active = 0;
  /** Memory that was held at the last look, after connections were closed for it. */
  private heldBytes = 0;
  /** Memory that was counted since the last look. */
  private addedBytes = 0;

  constructor(
    private readonly listener: RequestListener,
    maxActiveRequests = 0,
  ) {
    super(bounds.SERVER_OPTIONS);
    this.maxConnections = bounds.maxConnectionsOf(maxActiveRequests);
    // Bounds the memory of a request whose headers have not all arrived. Node drops header fields beyond this number
    // without an error: the number is one more than a request may have, so that `rejectionOf` sees that it has too
    // many.
    this.maxHeadersCount = bounds.MAX_HEADER_FIELDS + 1;
    this.on('connection', this.accept.bind(this));
    // Node emits the last two instead of `request` where a request has an `Expect` field, and would respond to it by
    // itself without these listeners.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      this.on(event, ({ socket }: IncomingMessage, response: ServerResponse) => {
        this.admit(socket, response.req, this.start.bind(this, event, response), 0);
      });
    }
    this.on('upgrade', (request: IncomingMessage, socket: Socket, rest: Buffer) => {
      const connection = connectionOf(socket);
      if (connection !== undefined) connection.isGivenUp = true;
      this.admit(socket, request, this.readAgain.bind(this, request, rest), rest.length);
    });
    this.on('clientError', this.rejectUnparsable.bind(this));
    this.setTimeout(bounds.SILENCE_MS, this.silent.bind(this));
    this.on('listening', () => {
      const looking = setInterval(this.look.bind(this), bounds.LOOK_MS).unref();
      this.once('close', () => {
        clearInterval(looking);
      });
    });
  }

  /** Memory of responses that wait for a compressor or are unsent, and of waiting requests, in bytes. */
  get unsentBytes(): number {
    return bytesOf([...this.open, ...this.prepared]);
  }

  get isFull(): boolean {
    return this.heldBytes > bounds.MAX_UNSENT_BYTES;
  }

  /**
   * Call when a connection holds more memory. Where much was added since the last look, the server looks at once,
   * because its timer comes only after all that has arrived.
   */
  added(bytes: number): void {
    this.addedBytes += bytes;
    if (this.addedBytes > bounds.MAX_ADDED_BYTES) this.look();
  }

  /**
   * Counts a body that has to wait before it can be sent. No connection is closed for it, because its client may be one
   * that reads.
   *
   * @returns a function that ends the wait; `undefined` where the limit leaves no room
   */
  prepare(body: Held['body'], otherBytes: number): (() => void) | undefined {
    const held = { body, otherBytes };
    const bytes = bytesOf([...this.open, ...this.prepared, held]) + bounds.COMPRESSORS_BYTES;
    if (this.prepared.size > 0 && bytes > bounds.MAX_UNSENT_BYTES) return undefined;
    this.prepared.add(held);
    return () => this.prepared.delete(held);
  }

  /**
   * `close` calls this method. Node's own would cut off responses that have ended and are not sent yet, and would keep
   * connections that are silent or have sent half a request, for which the shutdown would wait (D27).
   */
  override closeIdleConnections(): void {
    this.turns.end();
    // Only the connections of now are closed: the server may listen again before that, as supertest makes it do.
    const connections = [...this.open];
    // Between the two `setImmediate`, Node reads what has already arrived: connections with a request then have a
    // response and stay open. When they were closed at once, 200 clients lost up to 60 requests at a restart.
    setImmediate(() => {
      setImmediate(() => {
        for (const { socket, response } of connections) if (response === undefined) socket.destroy();
      });
    });
  }

  private accept(socket: Socket): void {
    // `readAgain` gives a socket back to Node, which emits `connection` again.
    if (connectionOf(socket) !== undefined) return;
    const connection = new Connection(socket);
    this.open.add(connection);
    socket.once('close', () => {
      this.open.delete(connection);
      connection.closed();
    });
    // While Node has given up a connection for an upgrade, its own listener is missing, and an error would be thrown.
    socket.on('error', () => undefined);
  }

  /** Starts a request, or lets it wait behind the others of its connection. */
  private admit(socket: Socket, request: IncomingMessage, start: Start, restBytes: number): void {
    const connection = connectionOf(socket);
    // A chunk may hold several requests. Node parses it to its end even where one of them has made us close the
    // connection; the others get no response.
    if (connection === undefined || !this.open.has(connection)) return;
    if (connection.response === undefined) {
      start(connection);
      return;
    }
    const bytes = bounds.bytesOfRequest(request) + restBytes;
    connection.wait(start, bytes);
    this.added(bytes);
    // `resume` drops the body, which would hold up to 64 KiB, or fill the heap in chunks of one byte. So the request is
    // rejected when its turn comes. Clients do not pipeline bodies, which may be lost with the connection (RFC 9112,
    // 9.3.2).
    if (bounds.hasBody(request)) request.resume();
  }

  private start(event: string, response: ServerResponse, connection: Connection): void {
    connection.response = response;
    this.active += 1;
    response.once('close', this.sent.bind(this, connection));
    const { req } = response;
    const status = bounds.rejectionOf(req) ?? (event === 'checkExpectation' ? 417 : undefined);
    if (status !== undefined) {
      response.writeHead(status, { Connection: 'close', 'Content-Length': 0 }).end();
      req.resume();
      return;
    }
    if (event === 'checkContinue') response.writeContinue();
    this.listener(req, response);
  }

  /**
   * Gives a request that asks for an upgrade, and what was read behind it, back to Node without the field `Upgrade`
   * (D34): Node's parser stops at such a request and loses the rest of the chunk, also where nothing listens for
   * upgrades.
   */
  private readAgain(request: IncomingMessage, rest: Buffer, connection: Connection): void {
    const { socket } = connection;
    connection.isGivenUp = false;
    const { method = '', url = '', httpVersion, rawHeaders } = request;
    let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
      // Renamed, so that a request with too many fields still has them.
      head += `${name.toLowerCase() === 'upgrade' ? 'X-Upgrade' : name}: ${value}\r\n`;
    }
    socket.unshift(Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), rest]));
    this.emit('connection', socket);
  }

  private sent(connection: Connection): void {
    this.active -= 1;
    const next = connection.end();
    if (!this.open.has(connection)) return;
    if (next !== undefined) next(connection);
    else if (this.listening) this.turns.connectionIdle(connection.socket, this.active);
    else connection.socket.destroySoon();
  }

  /**
   * Closes connections while all of them hold more than the limit. Those whose clients have read nothing for a second
   * come first, and of these the one that holds most: a client that reads a long list is not closed for many others
   * that read nothing of short ones.
   */
  private look(): void {
    if (bytesOf(this.open) > bounds.MAX_UNSENT_BYTES) {
      const now = performance.now();
      const order = [...this.open].filter(({ bytes }) => bytes > 0);
      order.sort((one, other) => Number(other.isSilent(now)) - Number(one.isSilent(now)) || other.bytes - one.bytes);
      for (const connection of order) {
        if (bytesOf(this.open) <= bounds.MAX_UNSENT_BYTES) break;
        this.open.delete(connection);
        connection.socket.destroy();
      }
    }
    this.heldBytes = this.unsentBytes;
    this.addedBytes = 0;
  }

  /**
   * Node calls this when nothing was read from a connection or written to it for a second (`SILENCE_MS`), or for 72
   * seconds after its last response (`keepAliveTimeout`). Closes a connection that is idle, and one whose client has
   * read nothing of a waiting response for 30 s.
   */
  private silent(socket: Socket): void {
    const connection = connectionOf(socket);
    if (connection?.response === undefined) {
      if (socket.timeout !== bounds.SILENCE_MS) socket.destroy();
      return;
    }
    if (connection.silence(performance.now()) >= bounds.MAX_SILENCE_MS) socket.destroy();
    else socket.setTimeout(bounds.SILENCE_MS);
  }

  private rejectUnparsable({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
    const response = connectionOf(socket)?.response;
    // The service has paused the connection itself: the rest of a request is late because of the pause, and the client
    // must not get a 408 for it.
    if (socket.isPaused() && code === 'ERR_HTTP_REQUEST_TIMEOUT') return;
    const status = PARSER_ERRORS[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    // A response is written only where the client cannot take it for that of an earlier request: where none is in
    // progress, or only the one whose own body is late or malformed.
    if (response === undefined || (!response.headersSent && !response.req.complete)) socket.write(head);
    // The socket is paused, because data that the client goes on sending would postpone the time-out of a connection
    // without traffic: a client that does not read the response could keep the connection open for ever.
    socket.pause();
    socket.destroySoon();
  }
}
