import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BoundedServer } from '../../src/http/server/bounded-server';
import { type Connection, connectionOf } from '../../src/http/server/connection';
import { eventually } from '../../testing/upstream/eventually';
import { unreadConnection } from '../faults/support/raw-connection';

/** A body larger than what the kernel buffers for a client that does not read, so that a part of it stays unsent. */
export const LARGE = Buffer.alloc(16_777_216, 'x');
export const SMALL = Buffer.from('x');
export const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server for each test, whose requests wait for `respond`, and its clients, which do not read. */
class BoundedClients {
  server: BoundedServer;
  /** The responses of the requests that the server has passed to its listener, in that order. */
  started: ServerResponse[];
  /** The ends of the connections at the server, in the order in which they were opened, and those at the clients. */
  sockets: Socket[];
  clients: Socket[];
  /** Whether requests that start from now on get a response at once. */
  respondsAtOnce: boolean;

  async open(): Promise<void> {
    this.server = new BoundedServer((_, response) => {
      this.started.push(response);
      if (this.respondsAtOnce) response.end('x');
    }, 1000);
    Object.assign(this, { started: [], sockets: [], clients: [], respondsAtOnce: false });
    this.server.on('connection', (socket: Socket) => {
      if (!this.sockets.includes(socket)) this.sockets.push(socket);
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    if (this.server.listening) this.server.close();
    this.server.closeAllConnections();
    await eventually('unsent bytes', () => this.server.unsentBytes, 0, 5_000);
  }

  /** Opens a connection, sends a text and reads nothing. */
  async client(text: string): Promise<Socket> {
    const { port } = this.server.address() as AddressInfo;
    const connected = once(this.server, 'connection');
    const socket = await unreadConnection(`http://127.0.0.1:${port}`);
    this.clients.push(socket);
    await connected;
    socket.write(text);
    return socket;
  }

  /** Opens a connection, sends a request, and waits until the listener has it. */
  async asking(): Promise<Socket> {
    const before = this.started.length;
    const socket = await this.client(REQUEST);
    await this.hasStarted(before + 1);
    return socket;
  }

  async hasStarted(requests: number): Promise<void> {
    await eventually('requests that started', () => this.started.length, requests);
  }

  /** What the server knows of the connection of a request that it has passed to its listener. */
  connection(index: number): Connection {
    const connection = connectionOf(this.response(index).req.socket);
    if (connection === undefined) throw new Error(`Request ${index} is not started`);
    return connection;
  }

  response(index: number): ServerResponse {
    const response = this.started[index];
    if (response === undefined) throw new Error(`Request ${index} is not started`);
    return response;
  }

  respond(index: number, body: Buffer): void {
    this.connection(index).body = body.length;
    this.response(index).setHeader('Content-Length', body.length).end(body);
  }
}

/** Every test ends with the server holding nothing: all that was counted for its connections was given back (D59). */
export function useBoundedServer(): BoundedClients {
  const bounded = new BoundedClients();
  beforeEach(() => bounded.open());
  afterEach(() => bounded.close());
  return bounded;
}
