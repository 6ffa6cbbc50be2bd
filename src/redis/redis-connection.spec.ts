import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../../test/support/operations';
import { RedisConnection } from './redis-connection';

/** Responds to the few commands of a connection that begins. */
class LittleRedis {
  readonly commands: string[] = [];
  readonly sockets = new Set<Socket>();
  /** `undefined`: it does not respond. */
  response: string | undefined = '+OK\r\n';

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('data', (data) => {
        for (const command of data.toString().split(/^\*\d+\r\n/m)) {
          const words = command.split('\r\n').filter((text) => text !== '' && !text.startsWith('$'));
          if (words.length > 0) this.commands.push(words.join(' '));
          const response = words[0] === 'info' ? '$14\r\nredis_version:\r\n' : this.response;
          if (words.length > 0 && response !== undefined) socket.write(response);
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

describe('D75 RedisConnection', () => {
  let server: LittleRedis;
  let connection: RedisConnection | undefined;
  let log: string[];

  beforeEach(async () => {
    log = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((message: unknown) => log.push(String(message)));
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((message: unknown) => log.push(String(message)));
    server = await LittleRedis.start();
  });
  afterEach(async () => {
    connection?.onApplicationShutdown();
    await server.stop();
  });

  const open = async (url: URL): Promise<RedisConnection> => (connection = await RedisConnection.open(url));

  it('is ready once Redis has responded; user, password and database are decoded', async () => {
    const opened = await open(server.address('redis', 'us%40er:p%2Fw@', '/3'));
    expect(opened.ready).toBe(false);
    await expect(opened.client.get('key')).rejects.toThrow('enableOfflineQueue');
    await eventually(() => opened.ready);
    expect(server.commands.slice(0, 2)).toEqual(['auth us@er p/w', 'select 3']);
    expect(log).toEqual(['Redis is available']);
  });

  it('uses TLS where the URL says so, and is not ready with a server that does not', async () => {
    const opened = await open(server.address('rediss'));
    await eventually(() => log.length > 0);
    expect(server.commands[0]).not.toContain('info');
    expect(opened.ready).toBe(false);
  });

  it('closes a connection that gives no response to a command, and opens another', async () => {
    const opened = await open(server.address());
    await eventually(() => opened.ready);
    const [first] = server.sockets;
    server.response = undefined;
    await expect(opened.client.get('key')).rejects.toThrow();
    await eventually(() => first?.destroyed === true);
    server.response = '+OK\r\n';
    await eventually(() => opened.ready);
    expect(log.slice(0, 2)).toEqual(['Redis is available', 'Redis is unavailable: timeout']);
    expect(log.at(-1)).toBe('Redis is available');
  });

  it('logs a lost connection once, and never the password', async () => {
    const opened = await open(server.address('redis', 'user:hidden-secret@'));
    await eventually(() => opened.ready);
    await server.stop();
    let tries = 0;
    opened.client.on('reconnecting', () => (tries += 1));
    await eventually(() => tries >= 3);
    expect(log).toEqual(['Redis is available', 'Redis is unavailable: connection closed']);
    server = await LittleRedis.start();
  });

  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM'],
    ['WRONGPASS invalid username-password pair', 'WRONGPASS'],
  ])('logs a refusal of Redis by its first word: %s', async (message, cause) => {
    server.response = `-${message}\r\n`;
    await open(server.address('redis', 'user:password@'));
    await eventually(() => log.length > 0);
    expect(log).toEqual([`Redis is unavailable: ${cause}`]);
  });
});
