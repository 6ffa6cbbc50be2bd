import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { COMPRESSORS_BYTES } from '../bodies/compressor';
import { BoundedServer } from './bounded-server';
import { MAX_UNSENT_BYTES } from './bounds';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('D59 the memory of a BoundedServer', () => {
  let server: BoundedServer;
  let clients: Socket[];
  /** The responses of the requests that the server has passed to its listener, in that order. */
  let started: ServerResponse[];

  beforeEach(async () => {
    clients = [];
    started = [];
    server = new BoundedServer((_, response) => {
      started.push(response);
      server.emit('started');
    }, 1000);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const client of clients) client.destroy();
    server.close();
    server.closeAllConnections();
  });

  /** Opens a connection, pipelines so many requests, and resolves with the responses of those that are started. */
  async function asking(requests = 1): Promise<ServerResponse[]> {
    const before = started.length;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client);
    client.on('error', () => undefined);
    client.write(REQUEST.repeat(requests));
    // All requests of one chunk are started in one turn.
    await once(server, 'started');
    return started.slice(before);
  }

  it('counts a response once, also where it is counted again, and not after it is sent', async () => {
    const [response] = (await asking()) as [ServerResponse];
    server.count(response, 100);
    server.count(response, 30);
    expect(server.unsentBytes).toBe(30);
    response.end('x');
    await once(response, 'close');
    server.count(response, 100);
    expect(server.unsentBytes).toBe(0);
  });

  it('closes the connection that holds most beyond the bound, at once', async () => {
    const [some, most, last] = [await asking(), await asking(), await asking()].flat() as [
      ServerResponse,
      ServerResponse,
      ServerResponse,
    ];
    server.count(some, 1000);
    server.count(most, MAX_UNSENT_BYTES - 1000);
    expect([server.isFull, most.destroyed, most.req.socket.destroyed]).toEqual([false, false, false]);
    server.count(last, 1);
    expect([some, most, last].map(({ req }) => req.socket.destroyed)).toEqual([false, true, false]);
    expect([server.unsentBytes, server.isFull]).toEqual([1001, false]);
  });

  it('closes all responses of a closed connection, and streams that are piped into one later', async () => {
    const responses = (await asking(3)) as [ServerResponse, ServerResponse, ServerResponse];
    const closed: number[] = [];
    for (const [index, response] of responses.entries()) response.on('close', () => closed.push(index));
    clients[0]?.destroy();
    await Promise.all(responses.map((response) => once(response, 'close')));
    expect(server.active).toBe(0);
    expect(closed.filter((index) => index === 0)).toHaveLength(1);
    const file = new PassThrough();
    file.pipe(responses[2]);
    expect(file.destroyed).toBe(true);
  });

  it('starts no more requests of a connection that it has closed, although they have arrived', async () => {
    server.once('started', () => {
      for (const response of started) server.count(response, MAX_UNSENT_BYTES + 1);
    });
    const [response] = (await asking(3)) as [ServerResponse];
    await once(response, 'close');
    expect([started.length, server.active, server.unsentBytes]).toEqual([1, 0, 0]);
  });

  it('gives back the request by which its own connection becomes too large', async () => {
    const [response] = (await asking()) as [ServerResponse];
    server.count(response, MAX_UNSENT_BYTES);
    clients[0]?.write(REQUEST);
    await once(response, 'close');
    expect([started.length, server.active, server.unsentBytes]).toEqual([1, 0, 0]);
  });

  it('closes no connection for what waits for a compressor, however much it is', async () => {
    const [response] = (await asking()) as [ServerResponse];
    expect(server.prepare(Buffer.alloc(0), MAX_UNSENT_BYTES)).toBeInstanceOf(Function);
    server.count(response, 1);
    const [pipelining] = (await asking(3)) as [ServerResponse];
    expect([server.isFull, response.req.socket.destroyed]).toEqual([true, false]);
    expect(pipelining.req.socket.destroyed).toBe(false);
  });

  it('has room for one body that waits for a compressor, and for more while the compressors fit', () => {
    const bodies = [1, 2, 3].map((bytes) => Buffer.alloc(bytes)) as [Buffer, Buffer, Buffer];
    const room = MAX_UNSENT_BYTES - COMPRESSORS_BYTES;
    const endOfFirst = server.prepare(bodies[0], room - 1);
    const endOfSecond = server.prepare(bodies[1], 0);
    expect([typeof endOfFirst, typeof endOfSecond, server.unsentBytes]).toEqual(['function', 'undefined', room]);
    endOfFirst?.();
    expect(server.unsentBytes).toBe(0);
    const end = server.prepare(bodies[0], 1);
    const endOfLast = server.prepare(bodies[2], room - 5);
    expect(server.unsentBytes).toBe(room);
    end?.();
    endOfLast?.();
    expect(server.unsentBytes).toBe(0);
  });

  it('D27 knows the last response of a connection', async () => {
    const [first, second] = (await asking(2)) as [ServerResponse, ServerResponse];
    expect([first, second].map((response) => server.isLast(response))).toEqual([false, true]);
    const others = await asking(33);
    expect(others.map((response) => server.isLast(response))).toEqual(Array(32).fill(false));
    clients[0]?.destroy();
    await once(second, 'close');
    expect(server.isLast(first)).toBe(true);
  });
});
