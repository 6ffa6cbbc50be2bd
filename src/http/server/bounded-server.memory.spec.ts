import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { LARGE, REQUEST, SMALL, useBoundedServer } from '../../../test/http/bounded-clients';
import { eventually } from '../../../testing/upstream/eventually';
import { COMPRESSORS_BYTES } from '../bodies/compressor';
import { MAX_UNSENT_BYTES } from './bounds';

describe('D59 the memory of a BoundedServer', () => {
  const bounded = useBoundedServer();

  it('counts a response once, also where it is counted again, and not after it is sent', async () => {
    await bounded.asking();
    const [response] = bounded.started as [ServerResponse];
    bounded.server.count(response, 100);
    bounded.server.count(response, 30);
    expect(bounded.server.unsentBytes).toBe(30);
    response.end('x');
    await once(response, 'close');
    bounded.server.count(response, 100);
    expect(bounded.server.unsentBytes).toBe(0);
  });

  it('closes the connection that holds most beyond the bound, at once', async () => {
    for (let count = 0; count < 3; count += 1) await bounded.asking();
    const { server, sockets } = bounded;
    const [some, most, last] = bounded.started as [ServerResponse, ServerResponse, ServerResponse];
    server.count(some, 1000);
    server.count(most, MAX_UNSENT_BYTES - 1000);
    expect([server.isFull, most.destroyed, sockets[1]?.destroyed]).toEqual([false, false, false]);
    server.count(last, 1);
    expect(sockets.map((socket) => socket.destroyed)).toEqual([false, true, false]);
    expect([server.unsentBytes, server.isFull]).toEqual([1001, false]);
  });

  it('closes all responses of a closed connection, and streams that are piped into one later', async () => {
    await bounded.asking(3);
    const closed: number[] = [];
    for (const [index, response] of bounded.started.entries()) response.on('close', () => closed.push(index));
    bounded.clients[0]?.destroy();
    await Promise.all(bounded.started.map((response) => once(response, 'close')));
    expect(bounded.server.active).toBe(0);
    expect(closed.filter((index) => index === 0)).toHaveLength(1);
    const file = new PassThrough();
    const [, , last] = bounded.started as [ServerResponse, ServerResponse, ServerResponse];
    file.pipe(last);
    expect(file.destroyed).toBe(true);
  });

  it('starts no more requests of a connection that it has closed, although they have arrived', async () => {
    bounded.server.once('request', (_, response: ServerResponse) => {
      bounded.server.count(response, MAX_UNSENT_BYTES + 1);
    });
    await bounded.client(REQUEST.repeat(3));
    await eventually('a response that is closed', () => bounded.started[0]?.closed === true);
    expect([bounded.started.length, bounded.server.active, bounded.server.unsentBytes]).toEqual([1, 0, 0]);
  });

  it('gives back the request by which its own connection becomes too large', async () => {
    await bounded.asking();
    const [response] = bounded.started as [ServerResponse];
    bounded.server.count(response, MAX_UNSENT_BYTES);
    bounded.clients[0]?.write(REQUEST);
    await once(response, 'close');
    expect([bounded.started.length, bounded.server.active, bounded.server.unsentBytes]).toEqual([1, 0, 0]);
  });

  it('closes no connection for what waits for a compressor, however much it is', async () => {
    await bounded.asking();
    const end = bounded.server.prepare(Buffer.alloc(0), MAX_UNSENT_BYTES);
    const [response] = bounded.started as [ServerResponse];
    bounded.server.count(response, 1);
    await bounded.asking(3);
    expect(bounded.server.isFull).toBe(true);
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false, false]);
    end?.();
    expect(bounded.server.isFull).toBe(false);
  });

  it('has room for one body that waits for a compressor, and for more while the compressors fit', () => {
    const bodies = [1, 2, 3].map((bytes) => Buffer.alloc(bytes)) as [Buffer, Buffer, Buffer];
    const room = MAX_UNSENT_BYTES - COMPRESSORS_BYTES;
    const endOfFirst = bounded.server.prepare(bodies[0], room - 1);
    const endOfSecond = bounded.server.prepare(bodies[1], 0);
    expect([typeof endOfFirst, typeof endOfSecond]).toEqual(['function', 'undefined']);
    expect(bounded.server.unsentBytes).toBe(room);
    endOfFirst?.();
    expect(bounded.server.unsentBytes).toBe(0);
    const end = bounded.server.prepare(bodies[0], 1);
    const endOfLast = bounded.server.prepare(bodies[2], room - 5);
    expect(bounded.server.unsentBytes).toBe(room);
    end?.();
    endOfLast?.();
    expect(bounded.server.unsentBytes).toBe(0);
  });

  it('D27 knows the last response of a connection', async () => {
    const { server } = bounded;
    await bounded.asking(2);
    const [first, second] = bounded.started as [ServerResponse, ServerResponse];
    expect([first, second].map((response) => server.isLast(response))).toEqual([false, true]);
    await bounded.client(REQUEST.repeat(33));
    await bounded.hasStarted(2 + 32);
    const others = bounded.started.slice(2);
    expect(others.map((response) => server.isLast(response))).toEqual(Array(32).fill(false));
    bounded.clients[0]?.destroy();
    await once(second, 'close');
    expect(server.isLast(first)).toBe(true);
  });
});

describe('D59 responses that clients do not read', () => {
  const bounded = useBoundedServer();
  let now = 1e9;
  /** Simulates so many seconds without traffic, at each of which Node reports the silence of all connections. */
  function stayThrough(seconds: number): void {
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    for (let second = 0; second < seconds; second += 1) {
      now += 1000;
      for (const socket of bounded.sockets) socket.emit('timeout');
    }
    clock.mockRestore();
  }

  it('close their connection after 30 s without a byte; one whose request is in progress stays', async () => {
    expect(bounded.server.timeout).toBe(1000);
    const unread = await bounded.asking(2);
    const working = await bounded.asking(2);
    const silent = await bounded.client('');
    // As a route of a team may do; it concerns only connections without a request.
    bounded.sockets[1]?.setTimeout(60_000);
    bounded.respond(0, LARGE);
    // The client cannot read this response while the one before it is in progress: its 30 s must not begin.
    bounded.respond(3, LARGE);
    stayThrough(29);
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false, false, false]);
    stayThrough(1);
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([true, false, false]);
    expect(bounded.sockets[1]?.timeout).toBe(1000);
    await once(unread.resume(), 'close');
    expect([working, silent].map((client) => client.resume().destroyed)).toEqual([false, false]);
    bounded.respond(2, SMALL);
    await once(working, 'data');
  });

  it('have 30 s each, however long the response before them was unread', async () => {
    const reading = await bounded.asking(2);
    bounded.respond(0, LARGE);
    stayThrough(20);
    reading.resume();
    await eventually('the first response is closed', () => bounded.started[0]?.closed === true);
    reading.pause();
    stayThrough(1);
    bounded.respond(1, LARGE);
    stayThrough(29);
    expect(bounded.sockets[0]?.destroyed).toBe(false);
    stayThrough(1);
    expect(bounded.sockets[0]?.destroyed).toBe(true);
  });

  it('that are read now and then keep their connection; without any, an idle one is closed in the end', async () => {
    await bounded.asking();
    bounded.respond(0, LARGE);
    for (let time = 0; time < 3; time += 1) {
      stayThrough(28);
      // A report of silence that comes so much later means that the client has read something meanwhile.
      now += 900;
      stayThrough(1);
    }
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false]);
    const idle = await bounded.asking();
    bounded.respond(1, SMALL);
    idle.resume();
    // When Node reports that the response is closed, it has already set the time-out of an idle connection.
    await eventually('the second response is closed', () => bounded.started[1]?.closed === true);
    expect(bounded.sockets[1]?.timeout).toBeGreaterThanOrEqual(72_000);
    bounded.sockets[1]?.emit('timeout');
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false, true]);
  });
});
