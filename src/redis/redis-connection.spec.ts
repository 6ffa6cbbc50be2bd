import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../../test/support/operations';
import { causeOf, RedisConnection } from './redis-connection';

/** Says what a Redis would to the few commands of a connection that begins, or whatever it is told to. */
class LittleRedis {
  commands: string[] = [];
  answer: (command: string) => string | undefined = () => '+OK\r\n';
  readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('data', (data) => {
        for (const command of data
          .toString()
          .split(/^\*\d+\r\n/m)
          .filter((text) => text !== '')) {
          const words = command.split('\r\n').filter((text) => text !== '' && !text.startsWith('$'));
          this.commands.push(words.join(' '));
          const answer = words[0] === 'info' ? '$14\r\nredis_version:\r\n' : this.answer(words[0] ?? '');
          if (answer !== undefined) socket.write(answer);
        }
      });
    });
  }

  static async start(): Promise<LittleRedis> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LittleRedis(server);
  }

  address(scheme = 'redis', user = '', path = ''): URL {
    return new URL(`${scheme}://${user}127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }
}

describe('RedisConnection', () => {
  let server: LittleRedis;
  let connection: RedisConnection | undefined;
  const log: string[] = [];

  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation((message: unknown) => log.push(String(message)));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => log.push(String(message)));
  });
  beforeEach(async () => {
    log.length = 0;
    server = await LittleRedis.start();
  });
  afterEach(async () => {
    connection?.close();
    await server.stop();
  });

  const open = async (url: URL): Promise<RedisConnection> => (connection = await RedisConnection.open(url));

  it('is ready once Redis has answered, and says so', async () => {
    const opened = await open(server.address());
    expect(opened.ready).toBe(false);
    await eventually(() => opened.ready);
    expect(log.at(-1)).toBe('Redis is available');
  });

  it('brings user, password and database, decoded', async () => {
    const opened = await open(server.address('redis', 'us%40er:p%2Fw@', '/3'));
    await eventually(() => opened.ready);
    expect(server.commands.slice(0, 2)).toEqual(['auth us@er p/w', 'select 3']);
  });

  it('speaks TLS where the URL says so, and is not ready with a server that does not', async () => {
    const opened = await open(server.address('rediss'));
    await eventually(() => server.commands.length > 0);
    expect(server.commands[0]).not.toContain('info');
    await eventually(() => log.length > 0);
    expect([opened.ready, log.length]).toEqual([false, 1]);
  });

  it('fails a command at once while there is no connection', async () => {
    const { client, ready } = await open(server.address());
    expect(ready).toBe(false);
    await expect(client.get('key')).rejects.toThrow('enableOfflineQueue');
  });

  it('gives a command up that is not answered', async () => {
    const opened = await open(server.address());
    await eventually(() => opened.ready);
    server.answer = () => undefined;
    await expect(opened.client.get('key')).rejects.toThrow('Command timed out');
  });

  it('makes a connection anew that stays silent, and says each change once', async () => {
    const opened = await open(server.address());
    await eventually(() => opened.ready);
    const [first] = server.sockets;
    server.answer = () => undefined;
    await opened.client.get('key').catch(() => undefined);
    await eventually(() => first?.destroyed === true);
    await eventually(() => log.some((line) => line.startsWith('Redis is unavailable: ')));
    await eventually(() => log.at(-1) === 'Redis is available');
    // On a busy machine the time-out may end the new connection, too.
    const available = log.map((line) => line === 'Redis is available');
    available.slice(1).forEach((now, index) => {
      expect(now).not.toBe(available[index]);
    });
  });

  it('is not ready with a server that never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    const opened = await open(new URL(`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`));
    await eventually(() => sockets.length >= 2);
    expect([opened.ready, log]).toEqual([false, ['Redis is unavailable: timeout']]);
    opened.close();
    sockets.forEach((socket) => socket.destroy());
    silent.close();
  });

  it('tells a lost connection once, however often it fails to come back, and never the password', async () => {
    const opened = await open(server.address('redis', 'user:hidden-secret@'));
    await eventually(() => opened.ready);
    await server.stop();
    let tries = 0;
    opened.client.on('reconnecting', () => (tries += 1));
    await eventually(() => tries >= 3);
    expect(log.slice(log.lastIndexOf('Redis is available'))).toEqual([
      'Redis is available',
      'Redis is unavailable: connection closed',
    ]);
    server = await LittleRedis.start();
  });

  it('says nothing when it is closed, and does not come back', async () => {
    const opened = await open(server.address());
    await eventually(() => opened.ready);
    opened.close();
    // Either end may see it first. A client that has ended does not connect again.
    await eventually(() => server.sockets.size === 0 && opened.client.status === 'end');
    expect(log.at(-1)).toBe('Redis is available');
  });
});

describe('causeOf', () => {
  it.each([
    [Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6379'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'OOM'],
    [new Error('WRONGPASS invalid username-password pair'), 'WRONGPASS'],
    [new Error('Command timed out'), 'timeout'],
    [new TypeError('secret host:6379'), 'TypeError'],
    [undefined, 'unknown'],
    ['secret', 'unknown'],
  ])('%s is %s', (error, cause) => {
    expect(causeOf(error)).toBe(cause);
  });
});
