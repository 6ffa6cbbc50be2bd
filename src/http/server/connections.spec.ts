import { once } from 'node:events';
import { type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { eventually } from '../../../test/support/operations';
import { BoundedServer, Connections } from './connections';

/** More than the kernel keeps for a client that does not read. */
const LARGE = Buffer.alloc(16_777_216, 'x');
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('Connections', () => {
  let server: Server;
  let connections: Connections;
  /** Responses to the requests that were started. */
  let started: ServerResponse[];
  /** How many requests were parsed. */
  let received: number;
  const clients: Socket[] = [];

  beforeEach(async () => {
    started = [];
    received = 0;
    connections = new Connections();
    server = new BoundedServer({}, (_, response) => started.push(response), connections);
    server.prependListener('request', () => (received += 1));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    await eventually(() => connections.unsentBytes === 0);
  });

  /** Sends requests without reading the responses. */
  async function client(requests: number): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    clients.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(REQUEST.repeat(requests));
    return socket;
  }

  function respond(index: number, body: Buffer): void {
    const response = started[index];
    if (response === undefined) throw new Error(`Request ${index} is not started`);
    connections.count(response, body.length);
    response.setHeader('Content-Length', body.length).end(body);
  }

  it('D44 a connection with more than 1 MiB unsent starts no further request until it is sent', async () => {
    const socket = await client(1);
    await eventually(() => started.length === 1);
    respond(0, LARGE);
    socket.write(REQUEST.repeat(3));
    await eventually(() => received === 4);
    // Another connection is served meanwhile.
    await client(1);
    await eventually(() => started.length === 2);
    expect(connections.unsentBytes).toBe(LARGE.length);
    socket.resume();
    await eventually(() => started.length === 5);
    expect(connections.unsentBytes).toBe(0);
  });

  it('D34 32 requests of a connection are in progress, more close it; others are served', async () => {
    const allowed = await client(32);
    await eventually(() => started.length === 32);
    const closed = await client(33);
    await once(closed.resume(), 'close');
    await client(1);
    await eventually(() => started.length === 65);
    expect([allowed.closed, received]).toEqual([false, 66]);
  });

  it('D44 counts nothing of responses whose client disconnected, those in line and later ones included', async () => {
    const socket = await client(3);
    await eventually(() => started.length === 3);
    respond(0, LARGE);
    respond(1, LARGE);
    expect(connections.unsentBytes).toBe(2 * LARGE.length);
    socket.destroy();
    await eventually(() => connections.unsentBytes === 0);
    respond(2, LARGE);
    expect(connections.unsentBytes).toBe(0);
  });

  it('D44 a second count corrects the first', async () => {
    await client(1);
    await eventually(() => started.length === 1);
    const [response] = started;
    for (const bytes of [5000, 700]) if (response !== undefined) connections.count(response, bytes);
    expect(connections.unsentBytes).toBe(700);
  });

  it('D44 works for clients whose response is not written, and not for those that leave one unread', async () => {
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    await client(0);
    await eventually(() => sockets.length === 1);
    await client(1);
    await eventually(() => started.length === 1);
    await client(2);
    await eventually(() => started.length === 3);
    respond(1, LARGE);
    expect(sockets.map((socket) => connections.isWorkingFor(socket))).toEqual([false, true, false]);
  });

  it('D45 closes idle connections when the last response that is written is sent', async () => {
    const idle = await client(1);
    await eventually(() => started.length === 1);
    const reading = await client(1);
    await eventually(() => started.length === 2);
    respond(0, Buffer.from('x'));
    await once(idle.resume(), 'data');
    respond(1, LARGE);
    server.close();
    let bytes = 0;
    reading.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await Promise.all([once(idle, 'close'), once(reading, 'close')]);
    expect(bytes).toBeGreaterThan(LARGE.length);
  });

  it('D44 the slowest reader is closed first, once it has held its bytes for more than 10 s', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const [first, second] = [await client(1), await client(1)];
    await eventually(() => started.length === 2);
    respond(0, LARGE);
    clock.mockReturnValue(1);
    respond(1, LARGE);
    clock.mockReturnValue(10_000);
    connections.closeSlowest();
    expect(connections.unsentBytes).toBe(2 * LARGE.length);
    clock.mockReturnValue(10_001);
    connections.closeSlowest();
    connections.closeSlowest();
    await once(first.resume(), 'close');
    expect(connections.unsentBytes).toBe(LARGE.length);
    expect(second.destroyed).toBe(false);
  });

  it('D45 closes connections that never sent a byte', async () => {
    const unused = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await Promise.all([once(unused, 'connect'), once(server, 'connection')]);
    const closed = once(unused.resume(), 'close');
    server.close();
    await closed;
  });
});
