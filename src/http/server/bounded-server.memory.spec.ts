import { once } from 'node:events';
import { LARGE, REQUEST, SMALL, useBoundedServer } from '../../../test/http/bounded-clients';
import { eventually } from '../../../testing/upstream/eventually';
import { COMPRESSORS_BYTES, MAX_ADDED_BYTES, MAX_UNSENT_BYTES } from './bounds';

describe('D59 the memory of a BoundedServer', () => {
  const bounded = useBoundedServer();
  const destroyed = (): boolean[] => bounded.sockets.map((socket) => socket.destroyed);

  it('counts a response with the objects that it was made from until it is sent', async () => {
    await bounded.asking();
    const connection = bounded.connection(0);
    Object.assign(connection, { body: 100, objectBytes: 30 });
    expect(bounded.server.unsentBytes).toBe(130);
    bounded.started[0]?.end('x');
    await eventually('the response is closed', () => bounded.server.active, 0);
    expect(bounded.server.unsentBytes).toBe(0);
  });

  it('closes the connection that holds most beyond the bound', async () => {
    for (let count = 0; count < 3; count += 1) await bounded.asking();
    const [some, most, last] = [0, 1, 2].map((index) => bounded.connection(index));
    Object.assign(some ?? {}, { body: 1000 });
    Object.assign(most ?? {}, { body: MAX_UNSENT_BYTES - 1000 });
    Object.assign(last ?? {}, { body: 1 });
    await eventually('a closed connection', () => destroyed().includes(true));
    expect(destroyed()).toEqual([false, true, false]);
    expect([bounded.server.unsentBytes, bounded.server.isFull]).toEqual([1001, false]);
  });

  it('closes those whose clients read nothing first, also where one that reads holds most', async () => {
    await bounded.asking();
    bounded.respond(0, LARGE);
    const isSilent = (index: number): boolean => bounded.connection(index).isSilent(performance.now());
    await eventually('a silent client', () => isSilent(0));
    await bounded.asking();
    await eventually('one silent client', () => isSilent(0) && !isSilent(1));
    bounded.connection(1).body = MAX_UNSENT_BYTES - 1;
    bounded.server.added(MAX_ADDED_BYTES + 1);
    expect(destroyed()).toEqual([true, false]);
  });

  it('starts no more requests of a connection that it has closed, although they have arrived', async () => {
    await bounded.asking();
    bounded.clients[0]?.write(REQUEST.repeat(3));
    await eventually('requests that wait', () => bounded.connection(0).isLast, false);
    bounded.connection(0).body = MAX_UNSENT_BYTES + 1;
    await once(bounded.response(0), 'close');
    expect([bounded.started.length, bounded.server.active, bounded.server.unsentBytes]).toEqual([1, 0, 0]);
  });

  it('looks at once where much was added since its last look', async () => {
    await bounded.asking();
    bounded.connection(0).body = MAX_UNSENT_BYTES + 1;
    bounded.server.added(MAX_ADDED_BYTES);
    expect(destroyed()).toEqual([false]);
    bounded.server.added(1);
    expect(destroyed()).toEqual([true]);
  });

  it('forgets the requests that wait on a connection when it is closed, though others hold its socket', async () => {
    await bounded.asking();
    bounded.clients[0]?.write(REQUEST.repeat(3));
    await eventually('requests that wait', () => bounded.connection(0).isLast, false);
    const connection = bounded.connection(0);
    bounded.sockets[0]?.destroy();
    await once(bounded.response(0), 'close');
    await eventually('no request waits', () => connection.isLast);
    expect(connection.otherBytes).toBe(0);
  });

  it('counts the requests that wait behind another, each by its fields', async () => {
    await bounded.asking();
    const before = bounded.server.unsentBytes;
    bounded.clients[0]?.write(REQUEST.repeat(3));
    await eventually('bytes of three requests', () => bounded.server.unsentBytes, before + 3 * (2048 + 1 + 96 + 5));
  });

  it('closes no connection for what waits for a compressor, however much it is', async () => {
    await bounded.asking();
    const end = bounded.server.prepare(Buffer.alloc(0), MAX_UNSENT_BYTES);
    bounded.connection(0).body = 1;
    await eventually('the bound is exceeded', () => bounded.server.isFull);
    expect(destroyed()).toEqual([false]);
    end?.();
    await eventually('there is room', () => bounded.server.isFull, false);
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
    const unread = await bounded.asking();
    const working = await bounded.asking();
    const silent = await bounded.client('');
    // As a route of a team may do; it concerns only connections without a request.
    bounded.sockets[1]?.setTimeout(60_000);
    bounded.respond(0, LARGE);
    stayThrough(29);
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false, false, false]);
    stayThrough(1);
    expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([true, false, false]);
    expect(bounded.sockets[1]?.timeout).toBe(1000);
    await once(unread.resume(), 'close');
    expect([working, silent].map((client) => client.resume().destroyed)).toEqual([false, false]);
    bounded.respond(1, SMALL);
    await once(working, 'data');
  });

  it('have 30 s each, however long the response before them was unread', async () => {
    const reading = await bounded.asking();
    reading.write(REQUEST);
    bounded.respond(0, LARGE);
    stayThrough(20);
    reading.resume();
    await bounded.hasStarted(2);
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
