import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';

/** The longest wait of a request for Redis. */
const REDIS_TIMEOUT_MS = 75;

const CONNECT_TIMEOUT_MS = 2000;
/** The message of ioredis. */
const COMMAND_TIMED_OUT = 'Command timed out';
const MAX_RECONNECT_MS = 5000;

/**
 * The connection to Redis, which never blocks requests: it connects and reconnects in the background. Commands fail at once
 * while there is no connection, and after {@link REDIS_TIMEOUT_MS} where Redis does not respond. A command that times out
 * closes the connection, and a new one is ready only when Redis responds, so that no other request waits. Each change is
 * logged once, without the address.
 */
export class RedisConnection implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisConnection.name);
  /** `undefined` before the first change. */
  private usable: boolean | undefined;

  private constructor(readonly client: Redis) {
    this.client.on('ready', () => {
      this.change(true, '');
    });
    this.client.on('error', (error) => {
      this.change(false, causeOf(error));
    });
    this.client.on('close', () => {
      this.change(false, 'connection closed');
    });
    // The events report failures.
    this.client.connect().catch(() => undefined);
  }

  /** Starts to connect, without waiting. The library is loaded here, so that it costs nothing where it is not used. */
  static async open(url: URL): Promise<RedisConnection> {
    const { Redis } = await import('ioredis');
    class ResponsiveRedis extends Redis {
      override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
        command.promise.catch((error: unknown) => {
          const isTimeout = error instanceof Error && error.message === COMMAND_TIMED_OUT;
          // Once for all commands that time out together: each call adds listeners to the socket.
          if (isTimeout && this.stream.writable) this.disconnect(true);
        });
        return super.sendCommand(command, stream);
      }
    }
    return new RedisConnection(new ResponsiveRedis(optionsOf(url)));
  }

  /** Whether a command can be sent now. */
  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** Closes the connection for good; pending commands fail. */
  close(): void {
    this.usable = false;
    this.client.disconnect();
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private change(usable: boolean, cause: string): void {
    if (this.usable === usable) return;
    this.usable = usable;
    if (usable) this.logger.log('Redis is available');
    else this.logger.warn(`Redis is unavailable: ${cause}`);
  }
}

/** The cause of an error, without texts that may contain an address, a key or a credential. */
export function causeOf(error: unknown): string {
  const { code, message, name } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code !== undefined) return code;
  if (message === COMMAND_TIMED_OUT) return 'timeout';
  // Errors of Redis begin with a word in capitals, such as OOM or WRONGPASS.
  return /^[A-Z]{2,20}(?= )/.exec(message ?? '')?.[0] ?? name ?? 'unknown';
}

function optionsOf(url: URL): RedisOptions & { replyMapping?: 'legacy' } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    username: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    db: Number(url.pathname.slice(1)),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    // Older servers and proxies support this one too.
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    disconnectTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** times) * (0.5 + Math.random() / 2),
  };
}
