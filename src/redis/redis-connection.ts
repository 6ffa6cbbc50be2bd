import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { ThrottledLog } from '../observability/logging/throttled-log';

/** A command without a response after this time has failed: a slow Redis must not delay requests (D75). */
const REDIS_TIMEOUT_MS = 75;
const CONNECT_TIMEOUT_MS = 2000;
const MIN_RETRY_MS = 250;
const MAX_RETRY_MS = 8000;
/**
 * A replica refuses writes by the error `READONLY`, after which the connection is made anew. This is the least time
 * between two such reconnections, because many commands may be refused before the new primary is there.
 */
const RENEWAL_INTERVAL_MS = 5000;

/** The error of a command that Redis has refused; ioredis adds the command. */
type ReplyError = Error & { readonly command?: { readonly name: string } };

/**
 * Connects to Redis, or to a Redis Cluster, in the background. Commands fail at once without a connection, and after
 * 75 ms without a response.
 */
export class RedisConnection implements OnModuleInit, OnApplicationShutdown {
  /** The client of the commands; nothing may be sent unless the connection is {@link ready}. */
  readonly client: Redis | Cluster;
  private readonly logger = new Logger(RedisConnection.name);
  private readonly failures = new ThrottledLog(RedisConnection.name);
  private readonly isCluster: boolean;
  private isUsable: boolean | undefined;
  private renewedAt = -Infinity;

  /**
   * Creates the client of ioredis without connecting; `onModuleInit` connects.
   *
   * @param urls one Redis, or several nodes of one Redis Cluster
   */
  constructor(ioredis: Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>, urls: readonly URL[]) {
    this.isCluster = urls.length > 1;
    const options = { ...OPTIONS, reconnectOnError: (error: ReplyError) => this.onRefusedCommand(error) };
    if (this.isCluster) {
      const redisOptions = { ...options, ...credentialsOf(urls as [URL]) };
      this.client = new ioredis.Cluster(urls.map(String), { ...CLUSTER_OPTIONS, redisOptions });
    } else {
      this.client = new ioredis.Redis(String(urls[0]), { ...options, enableOfflineQueue: false, retryStrategy });
    }
    this.client.on('ready', () => void this.check());
    this.client.on('error', (error: Error) => {
      // The handshake after connecting authenticates and selects the database. When a command of it fails, ioredis
      // would use the connection all the same, for example with database 0 instead of the configured one. The
      // connection is therefore closed and made anew.
      if (this.client.status === 'connect' && !this.isCluster) this.client.disconnect(true);
      this.change(false, `Redis is unavailable: ${causeOf(error)}`);
    });
    this.client.on('close', () => {
      this.change(false, 'Redis is unavailable: connection closed');
    });
  }

  /**
   * Starts to connect, without waiting. The constructor does not connect, so that an application which fails while it
   * is being created has opened no connection (D27).
   */
  onModuleInit(): void {
    this.client.connect().catch(() => undefined);
  }

  /** Whether Redis has responded on the current connection, with the configured database selected. */
  get ready(): boolean {
    return this.isUsable === true && this.client.status === 'ready';
  }

  /** Comes after the shutdown hooks of an application, because `AppModule`, a global module, provides the connection. */
  onApplicationShutdown(): void {
    this.isUsable = false;
    this.client.disconnect();
  }

  /** Waits for one response before commands are sent: a Redis that hangs or loads its data accepts connections, too. */
  private async check(): Promise<void> {
    const cause = await this.client.ping().then(() => undefined, causeOf);
    // A user who may not PING may still be permitted the commands that the service needs.
    if (cause !== undefined && cause !== 'NOPERM') {
      this.change(false, `Redis is unavailable: ${cause}`);
      this.client.disconnect(true);
    } else if (this.client.status === 'ready') {
      // The connection may have been closed while the response was under way.
      this.change(true, 'Redis is available');
    }
  }

  /**
   * Logs that Redis refused a command.
   *
   * @returns whether ioredis connects anew: a server that refuses writes (`READONLY`) has become a replica in a
   * failover, and a new connection to the same host name leads to the new primary
   */
  private onRefusedCommand(error: ReplyError): boolean {
    const cause = causeOf(error);
    // `check` reports a refused PING itself, and INFO only serves a warning. NOSCRIPT is no fault: ioredis sends a script
    // by its digest first, and sends the whole script where Redis does not have it yet.
    if (['ping', 'info'].includes(error.command?.name ?? '') || cause === 'NOSCRIPT') return false;
    if (this.isCluster && REDIRECTIONS.includes(cause)) return false;
    this.failures.failed(`Redis refuses commands: ${cause}`);
    const now = performance.now();
    if (cause !== 'READONLY' || this.isCluster || now - this.renewedAt < RENEWAL_INTERVAL_MS) return false;
    this.renewedAt = now;
    return true;
  }

  private change(isUsable: boolean, message: string): void {
    if (this.isUsable === isUsable) return;
    this.isUsable = isUsable;
    this.logger[isUsable ? 'log' : 'warn'](message);
  }
}

/**
 * Milliseconds until the next attempt to connect: longer after each one, because every attempt looks the name up, and a
 * lookup without an answer takes a thread for ten seconds and more (D82). They are random, so that replicas do not all
 * connect at once.
 *
 * @param attempts those since the last connection
 */
function retryStrategy(attempts: number): number {
  return Math.min(MIN_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS) * (1 + Math.random());
}

/** User, password and TLS of the first URL as options: ioredis reads only host and port from the URLs of a cluster. */
function credentialsOf([{ protocol, username, password }]: [URL]): RedisOptions {
  const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return protocol === 'rediss:' ? { ...credentials, tls: {} } : credentials;
}

/**
 * Errors by which a node of a cluster names the node that has a key. ioredis follows them, so that they are not logged.
 */
const REDIRECTIONS = ['MOVED', 'ASK', 'TRYAGAIN'];

/**
 * The code of an error, for logs. Where an error has no code, it is the first word of its message in capitals, such as
 * `READONLY`: the rest may contain keys. For an error within a script, Redis 6 puts other words before, and a hyphen
 * directly before the code.
 */
function causeOf(error: Error & { lastNodeError?: Error }): string {
  const { code, message, name } = (error.lastNodeError ?? error) as NodeJS.ErrnoException;
  if (/timeout|timed out/i.test(message)) return 'timeout';
  const word = / -([A-Z]{2,20}) /.exec(message) ?? /^([A-Z]{2,20}) /.exec(message);
  return code ?? word?.[1] ?? name;
}

const OPTIONS: RedisOptions = {
  // Older servers and proxies do not support the newer protocol 3.
  protocol: 2,
  disableClientInfo: true,
  lazyConnect: true,
  // The readiness check of ioredis sends INFO, and writes to the console where the Redis user is not permitted to use
  // INFO. Our own `check` sends PING instead.
  enableReadyCheck: false,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: REDIS_TIMEOUT_MS,
  socketTimeout: REDIS_TIMEOUT_MS,
  disconnectTimeout: REDIS_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
};

const CLUSTER_OPTIONS: ClusterOptions = {
  lazyConnect: true,
  clusterRetryStrategy: retryStrategy,
  enableOfflineQueue: false,
  // The nodes are read anew this often, so that a replica that became primary in a failover is found.
  slotsRefreshInterval: 5000,
  slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
  // A command for a lost node fails at once, so that no request waits for a failover.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // ioredis would replace host names by addresses, which certificates of nodes do not contain.
  dnsLookup: (hostname, callback) => {
    callback(null, hostname);
  },
};
