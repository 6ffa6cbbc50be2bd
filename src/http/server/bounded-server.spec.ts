import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { eventually } from '../../../testing/upstream/eventually';
import { BoundedServer } from './bounded-server';

/** A body larger than what the kernel buffers for a client that does not read, so that a part of it stays unsent. */
const LARGE = Buffer.alloc(16_777_216, 'x');
const SMALL = Buffer.from('x');
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('BoundedServer', () => {
  let server: BoundedServer;
  /** The responses of the requests that the server has passed to its listener, in that order. */
  let started: ServerResponse[];
  /** The sockets of the server, one for each connection. */
  let sockets: Socket[];
  const clients: Socket[] = [];

  beforeEach(async () => {
    started = [];
    sockets = [];
    server = new BoundedServer((_, response) => started.push(response), 1000);
    server.on('connection', (socket: Socket) => sockets.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    if (server.listening) server.close();
    server.closeAllConnections();
    await eventually('unsent bytes', () => server.unsentBytes, 0);
  });

  /** Opens a connection, sends a text and reads nothing. */
  async function client(text: string): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    clients.push(socket);
    socket.on('error', () => undefined);
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    socket.write(text);
    return socket;
  }

  /** Opens a connection, sends so many requests, and waits until the listener has all of them. */
  async function asking(requests = 1): Promise<Socket> {
    const before = started.length;
    const socket = await client(REQUEST.repeat(requests));
    await eventually('requests that started', () => started.length, before + requests);
    return socket;
  }

  function respond(index: number, body: Buffer): void {
    const response = started[index];
    if (response === undefined) throw new Error(`Request ${index} is not started`);
    server.count(response, body.length);
    response.setHeader('Content-Length', body.length).end(body);
  }

  describe('D34 one connection', () => {
    it('is not read while more than 256 requests of it wait', async () => {
      const text = REQUEST.repeat(10_000);
      const flood = await client(text);
      await eventually('requests that started', () => started.length, 32);
      // Other requests are served meanwhile, so that the server has had time to read more of the flood.
      for (let count = 0; count < 20; count += 1) await asking();
      const [socket] = sockets;
      expect(socket?.bytesRead).toBeLessThan(text.length / 2);
      expect(started).toHaveLength(52);
      const pending = started.filter(({ req }) => req.socket === socket);
      started.push = (...responses) => responses.map((response) => response.end('x')).length;
      for (const response of pending) response.end('x');
      let received = 0;
      let rest = '';
      flood.on('data', (bytes: Buffer) => {
        const parts = (rest + bytes.toString()).split('HTTP/1.1 200');
        received += parts.length - 1;
        rest = parts.at(-1) ?? '';
      });
      flood.resume();
      await eventually('bytes received', () => received, 10_000);
      expect(socket?.bytesRead).toBe(text.length);
    });

    it('D78 is read, so that the server sees its client leave, while 256 requests of it wait', async () => {
      const pipelining = await client(REQUEST.repeat(32 + 256));
      await eventually('requests that started', () => started.length, 32);
      expect(sockets[0]?.isPaused()).toBe(false);
      pipelining.write(REQUEST.repeat(2));
      await eventually('the socket is paused', () => sockets[0]?.isPaused() === true);
      const paused = [];
      for (const response of started.slice(0, 2)) {
        await once(response.end('x'), 'close');
        paused.push(sockets[0]?.isPaused());
      }
      expect(paused).toEqual([true, false]);
    });

    it('is closed where it has most of the requests that wait, and all hold more than 128 MiB', async () => {
      const text = REQUEST.replace('\r\n\r\n', `\r\n${'a:\r\n'.repeat(99)}\r\n`).repeat(320);
      const some = await client(REQUEST.repeat(200));
      const isClosed = (): boolean => sockets.some((socket) => socket.destroyed);
      for (let count = 0; count < 50 && !isClosed(); count += 1) await client(text);
      await eventually('the connection is closed', isClosed);
      expect([some.destroyed, server.isFull]).toEqual([false, false]);
      expect(sockets[0]?.destroyed).toBe(false);
    });

    it('is closed where no HTTP is behind the requests that wait', async () => {
      const socket = await client(`${REQUEST.repeat(300)}no HTTP\r\n\r\n`);
      expect((await buffer(socket)).toString()).toBe('');
      expect(sockets[0]?.writable).toBe(false);
    });

    it('is not late with a request whose rest is not read, and with another one it is', async () => {
      await client(`${REQUEST.repeat(300)}GET / HTTP/1.1\r\nX-Half: `);
      await client(`${REQUEST.repeat(40)}GET / HTTP/1.1\r\nX-Half: `);
      const half = await client('GET / HTTP/1.1\r\nX-Half: ');
      await eventually('requests that started', () => started.length, 64);
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      for (const socket of sockets) server.emit('clientError', late, socket);
      expect((await buffer(half)).toString()).toBe(
        'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
      expect(sockets.map((socket) => socket.destroyed)).toEqual([false, true, true]);
    });
  });

  describe.each([
    ['no Host', '\r\n', 400],
    ['an unknown Expect', 'Host: a\r\nExpect: x\r\n\r\n', 417],
    ['several Hosts', 'Host: a\r\nHost: b\r\n\r\n', 400],
  ])('D59 rejected requests: %s', (_, fields, status) => {
    const rejected = `GET / HTTP/1.1\r\n${fields}`;

    it(`are ${status}, and the connection is closed`, async () => {
      const [head] = await once((await client(rejected)).resume(), 'data');
      expect(String(head)).toMatch(
        new RegExp(`^HTTP/1.1 ${status} .+\\r\\nConnection: close\\r\\nContent-Length: 0\\r\\n`),
      );
      expect(started).toEqual([]);
    });

    it('behind a slow request count as all others, and are not read without end', async () => {
      const text = REQUEST + rejected.repeat(10_000);
      for (let count = 0; count < 3; count += 1) await client(text);
      await eventually('requests that started', () => started.length, 3);
      // Other requests are served meanwhile, so that the server has had time to read more of the flood.
      for (let count = 0; count < 20; count += 1) await asking();
      expect(server.active).toBe(3 * 32 + 20);
      expect(server.unsentBytes).toBeGreaterThan(3 * 256 * 2048);
      for (const socket of sockets.slice(0, 3)) {
        expect([socket.isPaused(), socket.bytesRead < text.length / 2]).toEqual([true, true]);
      }
    });
  });

  it('D34 headers have ten seconds to arrive, and bodies that routes of teams read five minutes', () => {
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 300_000]);
    // Of a request whose headers never end, the server keeps no more fields than these.
    expect(server.maxHeadersCount).toBe(101);
  });

  it('D34 late headers are noticed within seconds', async () => {
    server.headersTimeout = 10;
    let received = '';
    const half = await client('GET / HTTP/1.1\r\nX-Half: ');
    half.on('data', (bytes: Buffer) => (received += bytes.toString())).resume();
    await eventually('status line', () => received.split('\r\n')[0], 'HTTP/1.1 408 Request Timeout', 15_000);
  });

  it('D34 a request with more than 100 header fields is 431', async () => {
    const fields = 'a:\r\n'.repeat(98);
    const [head] = await once(
      (await client(`GET / HTTP/1.1\r\nHost: a\r\n${fields}b:\r\nc:\r\n\r\n`)).resume(),
      'data',
    );
    expect(String(head)).toMatch(/^HTTP\/1.1 431 /);
    await client(`GET / HTTP/1.1\r\nHost: a\r\n${fields}b:\r\n\r\n`);
    await eventually('requests that started', () => started.length, 1);
  });

  it('D59 bodies of requests that wait or are rejected are dropped, and who pipelines them gets 503', async () => {
    const requests: IncomingMessage[] = [];
    server.on('request', (request) => requests.push(request));
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n';
    const body = 'x'.repeat(10_000);
    const rejected = (post + body).replace('Host: a\r\n', '');
    const text = REQUEST.repeat(20) + rejected.repeat(12) + (post + body).repeat(2) + post + body.slice(1);
    const socket = await client(text);
    await eventually(
      'the server has read all 35 requests',
      () => sockets[0]?.bytesRead === text.length && requests.length === 35,
    );
    expect(Math.max(...requests.map(({ readableLength }) => readableLength))).toBe(0);
    for (const response of started) response.end('x');
    // The first rejected request closes the connection.
    expect((await buffer(socket)).toString().match(/(?<=HTTP\/1.1 )\d+/g)).toEqual([...Array(20).fill('200'), '400']);

    const other = await client(REQUEST.repeat(32) + post + body + REQUEST);
    await eventually('requests that started', () => started.length, 52);
    for (const response of started) response.end('x');
    expect((await buffer(other)).toString().match(/(?<=HTTP\/1.1 )\d+/g)).toEqual([...Array(32).fill('200'), '503']);
  });

  it('D34 an interim response is sent when the request starts, and to none that is rejected', async () => {
    const expecting = 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n';
    const first = async (text: string): Promise<string> => {
      const socket = (await client(text)).resume();
      return String(await once(socket, 'data'));
    };
    expect(await first(expecting.replace('Host: a\r\n', ''))).toMatch(/^HTTP\/1.1 400 /);
    started.push = (...responses) => responses.map((response) => response.end('x')).length;
    expect(await first(expecting.replace('1.1', '1.0'))).toMatch(/^HTTP\/1.1 200 /);
    expect(await first(expecting)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n/);
  });

  describe.each([
    ['late', 'ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
    ['malformed', 'HPE_INVALID_CHUNK_SIZE', '400 Bad Request'],
    ['too long in its trailers', 'HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ])('D15 a body that is %s', (_, code, statusText) => {
    const error = Object.assign(new Error('rejected'), { code });

    it.each([
      [`gets ${statusText} before the response has begun`, `HTTP/1.1 ${statusText}`, () => undefined],
      ['breaks off a response that has begun', 'HTTP/1.1 200 OK', () => started[0]?.flushHeaders()],
    ])('%s', async (__, statusLine, begin) => {
      const socket = await client('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
      await eventually('requests that started', () => started.length, 1);
      begin();
      server.emit('clientError', error, sockets[0]);
      const received = (await buffer(socket)).toString();
      expect(received.split('\r\n')[0]).toBe(statusLine);
      expect(received.match(/HTTP/g)).toHaveLength(1);
    });

    it('is no response to a request before it', async () => {
      const socket = await asking();
      server.emit('clientError', error, sockets[0]);
      expect((await buffer(socket)).toString()).toBe('');
    });
  });

  it('D59 what is no HTTP behind a response is not read, and the response is sent to its end', async () => {
    const socket = await asking();
    respond(0, LARGE);
    socket.write('no HTTP\r\n\r\n');
    await eventually('the socket is paused', () => sockets[0]?.isPaused() === true);
    expect((await buffer(socket)).length).toBeGreaterThan(LARGE.length);
  });

  describe('D59 responses that clients do not read', () => {
    it('are counted for their connection until it closes, those in line and late ones included', async () => {
      const socket = await asking(20);
      const ofRequests = server.unsentBytes;
      for (let index = 0; index < 5; index += 1) respond(index, LARGE);
      expect(server.unsentBytes).toBe(ofRequests + 5 * LARGE.length);
      socket.destroy();
      await eventually('unsent bytes', () => server.unsentBytes, 0);
      respond(19, LARGE);
      expect(server.unsentBytes).toBe(0);
    });

    it('count with the requests behind the first one, whose headers they keep', async () => {
      const fields = REQUEST.replace('\r\n\r\n', `\r\n${'a:\r\n'.repeat(99)}\r\n`);
      await asking();
      const socket = await client(fields.repeat(32));
      await eventually('requests that started', () => started.length, 33);
      expect(server.unsentBytes).toBeGreaterThan(31 * 99 * 96);
      for (const response of started) response.end('x');
      socket.resume();
      await eventually('unsent bytes', () => server.unsentBytes, 0);
    });

    it('are given back one by one as they are read', async () => {
      const socket = await asking(2);
      respond(0, LARGE);
      respond(1, LARGE);
      socket.resume();
      await eventually('unsent bytes', () => server.unsentBytes, 0);
      expect(socket.destroyed).toBe(false);
    });

    let now = 1e9;
    /** Simulates so many seconds without traffic, at each of which Node reports the silence of all connections. */
    function stayThrough(seconds: number): void {
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
      for (let second = 0; second < seconds; second += 1) {
        now += 1000;
        for (const socket of sockets) socket.emit('timeout');
      }
      clock.mockRestore();
    }

    it('close their connection after 30 s without a byte; one whose request is in progress stays', async () => {
      expect(server.timeout).toBe(1000);
      const unread = await asking(2);
      const working = await asking(2);
      const silent = await client('');
      // As a route of a team may do; it concerns only connections without a request.
      sockets[1]?.setTimeout(60_000);
      respond(0, LARGE);
      // The client cannot read this response while the one before it is in progress: its 30 s must not begin.
      respond(3, LARGE);
      stayThrough(29);
      expect(sockets.map((socket) => socket.destroyed)).toEqual([false, false, false]);
      stayThrough(1);
      expect(sockets.map((socket) => socket.destroyed)).toEqual([true, false, false]);
      expect(sockets[1]?.timeout).toBe(1000);
      await once(unread.resume(), 'close');
      expect([working, silent].map((client) => client.resume().destroyed)).toEqual([false, false]);
      respond(2, SMALL);
      await once(working, 'data');
    });

    it('have 30 s each, however long the response before them was unread', async () => {
      const reading = await asking(2);
      respond(0, LARGE);
      stayThrough(20);
      reading.resume();
      await eventually('the first response is closed', () => started[0]?.closed === true);
      reading.pause();
      stayThrough(1);
      respond(1, LARGE);
      stayThrough(29);
      expect(sockets[0]?.destroyed).toBe(false);
      stayThrough(1);
      expect(sockets[0]?.destroyed).toBe(true);
    });

    it('that are read now and then keep their connection; without any, an idle one is closed in the end', async () => {
      await asking();
      respond(0, LARGE);
      for (let time = 0; time < 3; time += 1) {
        stayThrough(28);
        // A report of silence that comes so much later means that the client has read something meanwhile.
        now += 900;
        stayThrough(1);
      }
      expect(sockets.map((socket) => socket.destroyed)).toEqual([false]);
      const idle = await asking();
      respond(1, SMALL);
      idle.resume();
      // When Node reports that the response is closed, it has already set the time-out of an idle connection.
      await eventually('the second response is closed', () => started[1]?.closed === true);
      expect(sockets[1]?.timeout).toBeGreaterThanOrEqual(72_000);
      sockets[1]?.emit('timeout');
      expect(sockets.map((socket) => socket.destroyed)).toEqual([false, true]);
    });
  });

  describe('with 32 requests in progress', () => {
    /** Responds to a request; resolves with whether its connection is paused when the response was sent. */
    const pausedAfter = (index: number): Promise<boolean | undefined> =>
      new Promise((resolve) => {
        started[index]?.once('close', () => {
          resolve(sockets[index]?.isPaused());
        });
        respond(index, SMALL);
      });

    it('a connection is read again after others, in a later turn', async () => {
      for (let count = 0; count < 34; count += 1) await asking();
      const next = [clients[0], clients[1]];
      expect(await Promise.all([pausedAfter(0), pausedAfter(1)])).toEqual([true, true]);
      for (const socket of next) socket?.write(REQUEST);
      await eventually('requests that started', () => started.length, 36);
      expect(sockets.map((socket) => socket.isPaused())).not.toContain(true);
    });

    it('it is read at once where fewer remain', async () => {
      for (let count = 0; count < 32; count += 1) await asking();
      expect(await pausedAfter(0)).toBe(false);
    });

    it('one that waits is read as soon as fewer remain', async () => {
      for (let count = 0; count < 33; count += 1) await asking();
      expect([await pausedAfter(0), await pausedAfter(1), sockets[0]?.isPaused()]).toEqual([true, false, false]);
    });

    it('D27 what they sent before the server closes gets its response; without a request one is closed', async () => {
      server.keepAliveTimeout = 0;
      for (let count = 0; count < 42; count += 1) await asking();
      const [silent, ...asks] = clients.slice(0, 10) as [Socket, ...Socket[]];
      // Node continues here among the events of the system, as after a signal, and has still to poll for the requests.
      await stat(__filename);
      // More connections than the server reads one by one before it closes those without a request.
      await Promise.all(Array.from({ length: 10 }, (_, index) => pausedAfter(index)));
      for (const socket of asks) socket.write(REQUEST);
      server.close();
      await once(silent.resume(), 'close');
      expect(sockets.slice(0, 10).map((socket) => socket.destroyed)).toEqual([true, ...asks.map(() => false)]);
      await eventually('requests that started', () => started.length, 42 + asks.length);
      const received = asks.map((socket) => buffer(socket));
      for (let index = 42; index < started.length; index += 1) respond(index, SMALL);
      for (const bytes of received) expect((await bytes).toString().match(/HTTP\/1.1 200/g)).toHaveLength(2);
    });
  });

  describe('D27 a server that closes', () => {
    it('closes what is no request at once, and the others when their responses are sent', async () => {
      const silent = await client('');
      const half = await client('GET / HTTP/1.1\r\nX-Half: ');
      const idle = await asking();
      respond(0, SMALL);
      await once(idle.resume(), 'data');
      const reading = await asking();
      respond(1, LARGE);
      const working = await asking(2);
      server.close();
      await Promise.all([silent, half, idle].map((socket) => once(socket.resume(), 'close')));
      expect((await buffer(reading)).length).toBeGreaterThan(LARGE.length);
      const last = buffer(working);
      respond(2, SMALL);
      await eventually('the third response is closed', () => started[2]?.closed === true);
      respond(3, SMALL);
      expect((await last).toString().match(/HTTP\/1.1 200/g)).toHaveLength(2);
    });

    it('responds to requests that have arrived on connections that take turns', async () => {
      // With 32 requests in progress, connections whose responses are sent are paused, and read in turns.
      await asking(32);
      const others: Socket[] = [];
      while (others.length < 10) others.push(await asking());
      const texts = others.map((each) => buffer(each));
      await new Promise((resolve) => {
        started[41]?.once('close', resolve);
        for (let index = 32; index < 42; index += 1) respond(index, SMALL);
      });
      for (const each of others) each.write(REQUEST);
      server.close();
      await eventually('requests that started', () => started.length, 52);
      for (let index = 42; index < 52; index += 1) respond(index, SMALL);
      for (const text of await Promise.all(texts)) expect(text.toString().match(/HTTP\/1.1 200/g)).toHaveLength(2);
    });

    it('D83 and listens again at once, as for supertest, keeps the connections of then', async () => {
      server.close();
      server.listen(0);
      await client('');
      // Connections of before would be closed by now.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(sockets.map((socket) => socket.destroyed)).toEqual([false]);
    });
  });
});
