import * as ioredis from 'ioredis';
import { EventEmitter, once } from 'node:events';
import { endWaitsWhenDue } from '../../test/support/held-waits';
import { LittleRedis } from '../../test/support/little-redis';
import { useLoggedLines } from '../../test/support/logged-lines';
import { eventually } from '../../testing/upstream/eventually';
import { RedisConnection } from './redis-connection';

const TIMEOUT_MS = 75;

describe('D75 RedisConnection', () => {
  const log = useLoggedLines();
  let server: LittleRedis;
  let connection: RedisConnection | undefined;
  /** Whether commands without a response time out; until then they wait, so that no test depends on the machine. */
  let isTimeUp: boolean;
  let now: number;

  beforeEach(async () => {
    now = 1_000_000;
    isTimeUp = false;
    endWaitsWhenDue(TIMEOUT_MS, () => isTimeUp);
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    server = await LittleRedis.start();
  });
  afterEach(async () => {
    isTimeUp = true;
    connection?.onApplicationShutdown();
    await server.close();
  });

  const open = (...urls: URL[]): RedisConnection => {
    connection = new RedisConnection(ioredis, urls);
    connection.onModuleInit();
    return connection;
  };
  const opened = async (url = server.address()): Promise<RedisConnection> => {
    const connected = open(url);
    await eventually('the connection is ready', () => connected.ready);
    return connected;
  };

  it('D27 a response that comes after the close is not logged', async () => {
    const client = new EventEmitter();
    const pong = once(client, 'pong');
    const disconnect = (): unknown => Object.assign(client, { status: 'end' });
    Object.assign(client, { status: 'ready', ping: () => pong, disconnect });
    const Redis = function () {
      return client;
    };
    const closed = new RedisConnection({ Redis } as never, [new URL('redis://127.0.0.1')]);
    client.emit('ready');
    closed.onApplicationShutdown();
    client.emit('pong');
    await pong;
    await new Promise(setImmediate);
    expect([closed.ready, log]).toEqual([false, []]);
  });

  it('is ready once Redis has responded; user, password and database are decoded', async () => {
    server.response = undefined;
    const connected = open(server.address('redis', 'us%40er:p%2Fw@', '/3'));
    await expect(connected.client.get('key')).rejects.toThrow('enableOfflineQueue');
    await eventually('commands that Redis got', () => server.commands.length, 2);
    expect(connected.ready).toBe(false);
    server.response = '+OK\r\n';
    server.sockets.forEach((socket) => socket.write('+OK\r\n+OK\r\n'));
    await eventually('the connection is ready', () => connected.ready);
    expect(server.commands).toEqual(['auth us@er p/w', 'select 3', 'ping']);
    expect(log).toEqual(['Redis is available']);
  });

  it('is not ready with a server that accepts connections and does not respond', async () => {
    server.response = undefined;
    const connected = open(server.address());
    await eventually('commands that Redis got', () => server.commands.length, 1);
    expect(connected.ready).toBe(false);
    isTimeUp = true;
    await eventually('commands that Redis got', () => server.commands.length, 2);
    expect([connected.ready, log]).toEqual([false, ['Redis is unavailable: timeout']]);
  });

  it('D75 no command waits for a failover, and a cluster reads its nodes every five seconds', () => {
    const Cluster = jest.fn<EventEmitter, [nodes: string[], options: ioredis.ClusterOptions]>(() => new EventEmitter());
    const optionsOf = (scheme: string): ioredis.ClusterOptions | undefined => {
      new RedisConnection({ Cluster } as never, [new URL(`${scheme}://a`), new URL(`${scheme}://b`)]);
      return Cluster.mock.lastCall?.[1];
    };
    const options = optionsOf('redis');
    const unwaiting = { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0, enableOfflineQueue: false };
    expect(options).toMatchObject({ ...unwaiting, slotsRefreshInterval: 5000, slotsRefreshTimeout: 2000 });
    const bounds = { connectTimeout: 2000, commandTimeout: 75, socketTimeout: 75, disconnectTimeout: 75 };
    const unrepeated = { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false };
    expect(options?.redisOptions).toMatchObject({ ...bounds, ...unrepeated });
    expect(options?.redisOptions).not.toHaveProperty('tls');
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const delays = [1, 2, 3, 6, 7, 1000].map((attempts) => options?.clusterRetryStrategy?.(attempts));
    expect(delays).toEqual([375, 750, 1500, 12_000, 12_000, 12_000]);
    expect(optionsOf('rediss')?.redisOptions).toMatchObject({ tls: {} });
  });

  it('uses TLS where the URL says so, and is not ready with a server that does not', async () => {
    const connected = open(server.address('rediss'));
    await eventually('lines of the log', () => log.length, Boolean);
    expect(server.commands.join()).not.toContain('ping');
    expect(connected.ready).toBe(false);
  });

  it('closes a connection that gives no response to a command, and opens another', async () => {
    const connected = await opened();
    const [first] = server.sockets;
    server.response = undefined;
    const read = connected.client.get('key');
    await eventually('the command arrives at Redis', () => server.commands.includes('get key'));
    isTimeUp = true;
    await expect(read).rejects.toThrow();
    await eventually('the first connection is closed', () => first?.destroyed === true);
    server.response = '+OK\r\n';
    await eventually('the connection is ready', () => connected.ready);
    expect(log).toEqual(['Redis is available', 'Redis is unavailable: timeout', 'Redis is available']);
  });

  it('logs a lost connection once, and never the password', async () => {
    const connected = await opened(server.address('redis', 'user:hidden-secret@'));
    await server.close();
    let tries = 0;
    connected.client.on('reconnecting', () => (tries += 1));
    await eventually('three attempts to connect', () => tries >= 3);
    expect(log).toEqual(['Redis is available', 'Redis is unavailable: connection closed']);
    server = await LittleRedis.start();
  });

  const NO_DATABASE = [
    'ERR DB index is out of range',
    "NOPERM this user has no permissions to run the 'select' command",
  ];
  it.each(NO_DATABASE)('D75 a database that cannot be selected is no Redis: %s', async (message) => {
    server.responses.select = `-${message}\r\n`;
    const connected = open(server.address('redis', 'user:password@', '/12'));
    const selections = (): string[] => server.commands.filter((command) => command === 'select 12');
    await eventually('three selections of the database', () => selections().length >= 3);
    await expect(connected.client.set('key', 'value')).rejects.toThrow();
    expect(connected.ready).toBe(false);
    expect(new Set(server.commands)).toEqual(new Set(['auth user password', 'select 12']));
    expect(log).toEqual([`Redis is unavailable: ${message.split(' ', 1).join()}`]);
  });

  it('D75 a Redis that is not of use yet is asked again on a new connection', async () => {
    server.responses.ping = '-LOADING Redis is loading the dataset in memory\r\n';
    const connected = open(server.address());
    await eventually('lines of the log', () => log.length, 1);
    server.responses.ping = '+PONG\r\n';
    await eventually('the connection is ready', () => connected.ready);
    expect(log).toEqual(['Redis is unavailable: LOADING', 'Redis is available']);
  });

  it('a user who may not send a ping may have what the service needs', async () => {
    server.responses.ping = "-NOPERM this user has no permissions to run the 'ping' command\r\n";
    await opened();
    expect(log).toEqual(['Redis is available']);
  });

  it.each([
    ["NOPERM this user has no permissions to run the 'get' command", 'NOPERM'],
    ['MOVED 3999 127.0.0.1:6381', 'MOVED'],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE'],
    ['ERR Error running script (call to f_1): @user_script:1: -WRONGTYPE Operation against a key', 'WRONGTYPE'],
  ])('D81 commands that are refused are one line a minute: %s', async (message, cause) => {
    const connected = await opened();
    server.responses.get = `-${message}\r\n`;
    for (let time = 0; time < 3; time += 1) await expect(connected.client.get('secret')).rejects.toThrow();
    now += 60_000;
    await eventually('the connection is ready', () => connected.ready);
    await expect(connected.client.get('secret')).rejects.toThrow();
    const refused = `Redis refuses commands: ${cause}`;
    expect(log).toEqual(['Redis is available', refused, `${refused} (3 times)`]);
  });

  it('a script that Redis does not have yet is no error', async () => {
    const connected = await opened();
    server.responses.evalsha = '-NOSCRIPT No matching script\r\n';
    connected.client.defineCommand('twice', { numberOfKeys: 1, lua: 'return 2' });
    await (connected.client as unknown as { twice(key: string): Promise<unknown> }).twice('key');
    expect(log).toEqual(['Redis is available']);
  });

  it.each([
    "READONLY You can't write against a read only replica.",
    "ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write against a read only replica.",
  ])('D75 connects anew after READONLY, but not again within five seconds: %s', async (message) => {
    const connected = await opened();
    server.responses.set = `-${message}\r\n`;
    const connections = async (): Promise<number> => {
      await expect(connected.client.set('key', 'value')).rejects.toThrow('READONLY');
      return server.commands.filter((command) => command === 'ping').length;
    };
    const isAnew = (): boolean => server.commands.at(-1) === 'ping' && connected.ready;
    await connections();
    await eventually('the connection is made anew', isAnew);
    expect(await connections()).toBe(2);
    now += 4_999;
    expect(await connections()).toBe(2);
    now += 1;
    await connections();
    await eventually('the connection is made anew', isAnew);
    expect(await connections()).toBe(3);
    const renewed = ['Redis is unavailable: connection closed', 'Redis is available'];
    expect(log).toEqual(['Redis is available', 'Redis refuses commands: READONLY', ...renewed, ...renewed]);
  });
});
