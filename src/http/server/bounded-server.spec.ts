import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LARGE, REQUEST, SMALL, useBoundedServer } from '../../../test/http/bounded-clients';
import { eventually } from '../../../testing/upstream/eventually';

describe('BoundedServer', () => {
  const bounded = useBoundedServer();

  describe('D34 one connection', () => {
    it('has one request in progress, and is not read while more than 32 wait', async () => {
      const text = REQUEST.repeat(10_000);
      const flood = await bounded.client(text);
      await bounded.hasStarted(1);
      // Other requests are served meanwhile, so that the server has had time to read more of the flood.
      for (let count = 0; count < 20; count += 1) await bounded.asking();
      const [socket] = bounded.sockets;
      expect(socket?.bytesRead).toBeLessThan(text.length / 2);
      expect(bounded.started).toHaveLength(21);
      bounded.respondsAtOnce = true;
      for (const response of bounded.started) response.end('x');
      flood.resume();
      const sent = (): number => bounded.started.filter(({ closed }) => closed).length;
      await eventually('responses of all requests', sent, 10_020);
      expect(socket?.bytesRead).toBe(text.length);
    });

    it('D78 is read, so that the server sees its client leave, while 32 requests of it wait', async () => {
      const pipelining = await bounded.client(REQUEST.repeat(1 + 32));
      await bounded.hasStarted(1);
      expect(bounded.sockets[0]?.isPaused()).toBe(false);
      pipelining.write(REQUEST.repeat(2));
      await eventually('the socket is paused', () => bounded.sockets[0]?.isPaused() === true);
      const paused = [];
      for (const index of [0, 1]) {
        const response = bounded.response(index);
        await once(response.end('x'), 'close');
        paused.push(bounded.sockets[0]?.isPaused());
      }
      expect(paused).toEqual([true, false]);
    });

    const UPGRADE = REQUEST.replace('\r\n\r\n', '\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n');
    const POST = UPGRADE.replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\nabc');

    it.each([
      ['first', UPGRADE + REQUEST.repeat(2), 3],
      ['second', REQUEST + UPGRADE + REQUEST, 3],
      ['among others of its kind', UPGRADE.repeat(3), 3],
      ['with a body', POST, 1],
    ])('D34 stays where a request asks for an upgrade, and all of a chunk are answered: %s', async (_, text, count) => {
      bounded.respondsAtOnce = true;
      const socket = (await bounded.client(text + (count === 1 ? '' : 'GET /last'))).resume();
      await bounded.hasStarted(count);
      socket.write(count === 1 ? REQUEST : REQUEST.slice(5));
      await bounded.hasStarted(count + 1);
      const withoutBody = bounded.started.filter(({ req }) => req.method === 'GET');
      expect(withoutBody.filter(({ req }) => req.headers.upgrade !== undefined)).toEqual([]);
      expect(bounded.sockets.map(({ destroyed }) => destroyed)).toEqual([false]);
    });

    it('D34 loses nothing that comes while a request that asks for an upgrade waits behind many', async () => {
      const socket = (await bounded.client(REQUEST.repeat(40) + UPGRADE)).resume();
      await bounded.hasStarted(1);
      await new Promise((resolve) => socket.write(REQUEST.repeat(2), resolve));
      for (let index = 0; index < 42; index += 1) {
        bounded.respond(index, SMALL);
        await bounded.hasStarted(index + 2);
      }
    });

    it('D34 has no more header fields where one of them is Upgrade', async () => {
      const fields = (count: number): string => `${UPGRADE.slice(0, -2)}${'X: y\r\n'.repeat(count - 3)}\r\n`;
      const socket = await bounded.client(fields(100) + fields(101));
      await bounded.hasStarted(1);
      bounded.started[0]?.end('x');
      expect((await buffer(socket)).toString().match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['200', '431']);
    });

    it('D34 is given up by no error of a client that leaves while it asks for an upgrade', async () => {
      const socket = await bounded.client(REQUEST + UPGRADE);
      await eventually('a request that waits', () => bounded.started.length === 1 && !bounded.connection(0).isLast);
      socket.resetAndDestroy();
      bounded.sockets[0]?.emit('error', new Error('ECONNRESET'));
      bounded.respond(0, LARGE);
      await eventually('the connection is closed', () => bounded.sockets[0]?.destroyed === true);
    });

    it('is closed where no HTTP is behind the requests that wait', async () => {
      const socket = await bounded.client(`${REQUEST.repeat(300)}no HTTP\r\n\r\n`);
      expect((await buffer(socket)).toString()).toBe('');
      expect(bounded.sockets[0]?.writable).toBe(false);
    });

    it('is not late with a request whose rest is not read, and with another one it is', async () => {
      await bounded.client(`${REQUEST.repeat(300)}GET / HTTP/1.1\r\nX-Half: `);
      await bounded.client(`${REQUEST.repeat(20)}GET / HTTP/1.1\r\nX-Half: `);
      const half = await bounded.client('GET / HTTP/1.1\r\nX-Half: ');
      await bounded.hasStarted(2);
      await eventually('the first socket is paused', () => bounded.sockets[0]?.isPaused() === true);
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      for (const socket of bounded.sockets) bounded.server.emit('clientError', late, socket);
      expect((await buffer(half)).toString()).toBe(
        'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      );
      expect(bounded.sockets.map((socket) => socket.destroyed)).toEqual([false, true, true]);
    });
  });

  it.each([
    { what: 'no Host', fields: '' },
    { what: 'an unknown Expect', fields: 'Host: a\r\nExpect: x\r\n' },
  ])('D59 requests that are rejected for $what count, and are not read without end', async ({ fields }) => {
    const text = REQUEST + `GET / HTTP/1.1\r\n${fields}\r\n`.repeat(10_000);
    for (let count = 0; count < 3; count += 1) await bounded.client(text);
    await bounded.hasStarted(3);
    // Other requests are served meanwhile, so that the server has had time to read more of the flood.
    for (let count = 0; count < 20; count += 1) await bounded.asking();
    expect(bounded.server.active).toBe(3 + 20);
    expect(bounded.server.unsentBytes).toBeGreaterThan(3 * 256 * 2048);
    for (const socket of bounded.sockets.slice(0, 3)) {
      expect([socket.isPaused(), socket.bytesRead < text.length / 2]).toEqual([true, true]);
    }
  });

  it('D34 headers have ten seconds to arrive, and bodies that routes of teams read five minutes', () => {
    expect([bounded.server.headersTimeout, bounded.server.requestTimeout]).toEqual([10_000, 300_000]);
    // Of a request whose headers never end, the server keeps no more fields than these.
    expect(bounded.server.maxHeadersCount).toBe(101);
  });

  it('D34 late headers are noticed within seconds', async () => {
    bounded.server.headersTimeout = 10;
    let received = '';
    const half = await bounded.client('GET / HTTP/1.1\r\nX-Half: ');
    half.on('data', (bytes: Buffer) => (received += bytes.toString())).resume();
    await eventually('status line', () => received.split('\r\n')[0], 'HTTP/1.1 408 Request Timeout', 15_000);
  });

  it('D59 bodies of requests that wait or are rejected are dropped, and who pipelines them gets 503', async () => {
    const requests: IncomingMessage[] = [];
    bounded.server.on('request', (request) => requests.push(request));
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n';
    const body = 'x'.repeat(10_000);
    const rejected = (post + body).replace('Host: a\r\n', '');
    const text = REQUEST + rejected.repeat(12) + (post + body).repeat(2) + post + body.slice(1);
    const socket = await bounded.client(text);
    await eventually(
      'the server has read all 16 requests',
      () => bounded.sockets[0]?.bytesRead === text.length && requests.length === 16,
    );
    expect(Math.max(...requests.map(({ readableLength }) => readableLength))).toBe(0);
    bounded.started[0]?.end('x');
    // The first rejected request closes the connection.
    expect((await buffer(socket)).toString().match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['200', '400']);

    const other = await bounded.client(REQUEST + post + body + REQUEST);
    await bounded.hasStarted(2);
    bounded.started[1]?.end('x');
    expect((await buffer(other)).toString().match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['200', '503']);
  });

  it('D34 an interim response is sent when the request starts, and to none that is rejected', async () => {
    const expecting = 'GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n';
    const first = async (text: string): Promise<string> => {
      const socket = (await bounded.client(text)).resume();
      return String(await once(socket, 'data'));
    };
    expect(await first(expecting.replace('Host: a\r\n', ''))).toMatch(/^HTTP\/1.1 400 /);
    bounded.respondsAtOnce = true;
    expect(await first(expecting.replace('1.1', '1.0'))).toMatch(/^HTTP\/1.1 200 /);
    expect(await first(expecting)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n/);
  });

  describe('D15 a body that is late or malformed', () => {
    const reject = (code: string): boolean =>
      bounded.server.emit('clientError', Object.assign(new Error(), { code }), bounded.sockets[0]);
    const REJECTED = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab';

    it.each([
      { code: 'ERR_HTTP_REQUEST_TIMEOUT', statusText: '408 Request Timeout' },
      { code: 'HPE_INVALID_CHUNK_SIZE', statusText: '400 Bad Request' },
      { code: 'HPE_HEADER_OVERFLOW', statusText: '431 Request Header Fields Too Large' },
    ])('gets $statusText before the response has begun', async ({ code, statusText }) => {
      const socket = await bounded.client(REJECTED);
      await bounded.hasStarted(1);
      reject(code);
      expect((await buffer(socket)).toString().split('\r\n')[0]).toBe(`HTTP/1.1 ${statusText}`);
    });

    it('breaks off a response that has begun', async () => {
      const socket = await bounded.client(REJECTED);
      await bounded.hasStarted(1);
      bounded.started[0]?.flushHeaders();
      reject('HPE_INVALID_CHUNK_SIZE');
      expect((await buffer(socket)).toString().match(/HTTP.*/g)).toEqual(['HTTP/1.1 200 OK']);
    });

    it('is no response to a request before it', async () => {
      const socket = await bounded.asking();
      reject('HPE_INVALID_CHUNK_SIZE');
      expect((await buffer(socket)).toString()).toBe('');
    });
  });

  it('D59 what is no HTTP behind a response is not read, and the response is sent to its end', async () => {
    const socket = await bounded.asking();
    bounded.respond(0, LARGE);
    socket.write('no HTTP\r\n\r\n');
    await eventually('the socket is paused', () => bounded.sockets[0]?.isPaused() === true);
    expect((await buffer(socket)).length).toBeGreaterThan(LARGE.length);
  });

  describe('D27 a server that closes', () => {
    it('closes what is no request at once, and the others when their responses are sent', async () => {
      const silent = await bounded.client('');
      const half = await bounded.client('GET / HTTP/1.1\r\nX-Half: ');
      const idle = await bounded.asking();
      bounded.respond(0, SMALL);
      await once(idle.resume(), 'data');
      const reading = await bounded.asking();
      bounded.respond(1, LARGE);
      const working = await bounded.client(REQUEST.repeat(2));
      await bounded.hasStarted(3);
      bounded.server.close();
      await Promise.all([silent, half, idle].map((socket) => once(socket.resume(), 'close')));
      expect((await buffer(reading)).length).toBeGreaterThan(LARGE.length);
      const last = buffer(working);
      bounded.respond(2, SMALL);
      await bounded.hasStarted(4);
      bounded.respond(3, SMALL);
      expect((await last).toString().match(/HTTP\/1.1 200/g)).toHaveLength(2);
    });

    it('sends the response to a request that has arrived, though it was not read yet', async () => {
      bounded.server.keepAliveTimeout = 0;
      const silent = await bounded.client('');
      const asking = await bounded.client('');
      // Node continues here among the events of the system, as after a signal, and has still to poll for the request.
      await stat(__filename);
      asking.write(REQUEST);
      bounded.server.close();
      await once(silent.resume(), 'close');
      await bounded.hasStarted(1);
      expect(bounded.sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
      bounded.respond(0, SMALL);
      expect((await buffer(asking)).toString()).toMatch(/^HTTP\/1.1 200/);
    });

    it('D83 and listens again at once, as for supertest, keeps the connections of then', async () => {
      for (let request = 0; request < 3; request += 1) {
        bounded.server.close();
        bounded.server.listen(0);
        const socket = (await bounded.client('')).resume();
        // Connections of before would be closed by now.
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        socket.write(REQUEST);
        await bounded.hasStarted(request + 1);
        bounded.respond(request, SMALL);
        await once(socket, 'data');
      }
    });
  });
});
