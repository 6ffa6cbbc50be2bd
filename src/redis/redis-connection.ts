import { Logger, type OnModuleInit } from '@nestjs/common';
import type { Cluster, ClusterOptions, Redis, RedisOptions } from 'ioredis';

/** A command without a response for so long has failed, because a slow Redis must not delay requests (D75). */
const REDIS_TIMEOUT_MS = 75;
const CONNECT_TIMEOUT_MS = 2000;
/** The least time between two connections that are made anew after `READONLY`. */
const RENEWAL_INTERVAL_MS = 5000;

/** What ioredis adds to the error of a command that Redis has refused. */
type ReplyError = Error & { readonly command?: { readonly name: string; readonly args: readonly unknown[] } };

/** Logs a sentence at most once a minute. */
interface FailureLog {
  failed(sentence: string): void;
  recovered(sentence: string): void;
}

/** Refused commands count as over when there was none for so long. */
const QUIET_MS = 60_000;

/**
 * Connects to Redis, or to a Redis Cluster, in the background. Commands fail at once without a connection, and after
 * 75 ms without a response.
 */
export class RedisConnection implements OnModuleInit {
  /** The client of the commands; nothing may be sent unless the connection is {@link ready}. */
  readonly client: Redis | Cluster;
  private readonly logger = new Logger(RedisConnection.name);
  private readonly isCluster: boolean;
  private quiet: NodeJS.Timeout | undefined;
  private isUsable: boolean | undefined;
  private isRenewing = false;
  private renewedAt = -Infinity;

  /**
   * Prepares the connection, which begins with the application.
   *
   * @param urls one Redis, or several nodes of one Redis Cluster
   * @param refusals gets a sentence for commands that Redis refuses, and for their end
   */
  constructor(
    ioredis: Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>,
    urls: readonly URL[],
    private readonly refusals: FailureLog,
  ) {
    this.isCluster = urls.length > 1;
    const options = { ...OPTIONS, reconnectOnError: (error: ReplyError) => this.onRefusal(error) };
    if (this.isCluster) {
      const redisOptions = { ...options, ...credentialsOf(urls as [URL]) };
      this.client = new ioredis.Cluster(urls.map(String), { ...CLUSTER_OPTIONS, redisOptions });
      this.client.on('node error', (error: Error) => {
        this.failed(`A node of the Redis Cluster is unavailable: ${causeOf(error)}`);
      });
    } else {
      this.client = new ioredis.Redis(String(urls[0]), { ...options, enableOfflineQueue: false, retryStrategy });
    }
    this.client.on('ready', () => void this.check());
    this.client.on('error', (error: Error) => {
      // After an error of the handshake, ioredis would go on, with database 0 where another cannot be selected.
      if (this.client.status === 'connect' && !this.isCluster) this.client.disconnect(true);
      this.change(false, `Redis is unavailable: ${problemOf(error)}`);
    });
    this.client.on('close', () => {
      if (!this.isRenewing) this.change(false, 'Redis is unavailable: connection closed');
      this.isRenewing = false;
    });
  }

  /** Starts to connect, without waiting. A start that fails before this hook has opened no connection (D27). */
  onModuleInit(): void {
    this.client.connect().catch(() => undefined);
  }

  /** Whether Redis has responded on the current connection, with the configured database selected. */
  get ready(): boolean {
    return this.isUsable === true && this.client.status === 'ready';
  }

  close(): void {
    this.isUsable = false;
    clearTimeout(this.quiet);
    this.client.disconnect();
  }

  /** A connection alone says nothing about a Redis that hangs or loads its data, so that one response is waited for. */
  private async check(): Promise<void> {
    try {
      await this.client.ping();
    } catch (error) {
      const cause = causeOf(error as Error);
      // A user without the permission for this command may have those that the service needs.
      if (cause !== 'NOPERM') {
        this.change(false, `Redis is unavailable: ${cause}`);
        this.client.disconnect(true);
        return;
      }
    }
    this.change(true, 'Redis is available');
  }

  /** @returns whether to connect anew: after a failover, the name of Redis leads to another server */
  private onRefusal(error: ReplyError): boolean {
    const cause = causeOf(error);
    // Scripts are sent by their digest first, and whole where Redis does not have them yet.
    if (error.command?.name === 'ping' || cause === 'NOSCRIPT') return false;
    if (this.isCluster && REDIRECTIONS.includes(cause)) return false;
    this.failed(`Redis refuses commands: ${cause}`);
    const now = performance.now();
    if (cause !== 'READONLY' || this.isCluster || now - this.renewedAt < RENEWAL_INTERVAL_MS) return false;
    this.renewedAt = now;
    this.isRenewing = true;
    return true;
  }

  private failed(sentence: string): void {
    this.refusals.failed(sentence);
    this.quiet ??= setTimeout(() => {
      this.quiet = undefined;
      this.refusals.recovered('Redis has refused no command for a minute');
    }, QUIET_MS).unref();
    this.quiet.refresh();
  }

  private change(isUsable: boolean, message: string): void {
    if (this.isUsable === isUsable) return;
    this.isUsable = isUsable;
    this.logger[isUsable ? 'log' : 'warn'](message);
  }
}

/** The milliseconds until the next attempt to connect differ in each replica, so that they do not all come at once. */
function retryStrategy(): number {
  return 250 + 250 * Math.random();
}

/** A cluster takes only hosts and ports from its URLs. */
function credentialsOf([{ protocol, username, password }]: [URL]): RedisOptions {
  const credentials = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return protocol === 'rediss:' ? { ...credentials, tls: {} } : credentials;
}

/** With these, a cluster tells its clients where a key is. */
const REDIRECTIONS = ['MOVED', 'ASK', 'TRYAGAIN'];

/** Of the message only the code, a word in capitals: the rest may hold keys. Redis 6 puts errors of scripts after a hyphen. */
function causeOf(error: Error & { lastNodeError?: Error }): string {
  const { code, message, name } = (error.lastNodeError ?? error) as NodeJS.ErrnoException;
  if (/timeout|timed out/i.test(message)) return 'timeout';
  const word = / -([A-Z]{2,20}) /.exec(message) ?? /^([A-Z]{2,20}) /.exec(message);
  return code ?? word?.[1] ?? name;
}

function problemOf(error: ReplyError): string {
  const { command } = error;
  if (command?.name !== 'select') return causeOf(error);
  return `database ${String(command.args[0])} cannot be selected (${causeOf(error)})`;
}

const OPTIONS: RedisOptions = {
  // Older servers and proxies support this protocol, too.
  protocol: 2,
  disableClientInfo: true,
  lazyConnect: true,
  // The check of ioredis sends INFO, and writes to the console where a user may not.
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
  // After a failover, a replica that was promoted is found within this time.
  slotsRefreshInterval: 5000,
  slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
  // No request waits until a lost node is replaced.
  retryDelayOnFailover: 0,
  retryDelayOnClusterDown: 0,
  // Names stay names until a connection is made, so that certificates are checked against them.
  dnsLookup: (hostname, callback) => {
    callback(null, hostname);
  },
};
