import { Logger } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';

/** The longest that a request waits for Redis. */
export const REDIS_TIMEOUT_MS = 75;

const CONNECT_TIMEOUT_MS = 2000;
/** A connection that owes an answer for so long is given up and made anew. */
const SILENCE_MS = 1000;
const MAX_RECONNECT_MS = 5000;

/**
 * A connection to Redis that holds nobody up: it is made and made again in the background, commands fail at once while
 * there is none and after {@link REDIS_TIMEOUT_MS} where Redis does not answer. Each change is logged once, without the
 * address.
 */
export class RedisConnection {
  private readonly logger = new Logger(RedisConnection.name);
  /** `undefined`: not known yet. */
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
    // What goes wrong is told by the events.
    this.client.connect().catch(() => undefined);
  }

  /** Begins to connect; does not wait for it. The library is loaded here, so that it costs nothing where it is not used. */
  static async open(url: URL): Promise<RedisConnection> {
    const { Redis } = await import('ioredis');
    return new RedisConnection(new Redis(optionsOf(url)));
  }

  /** Whether a command can be sent now. */
  get ready(): boolean {
    return this.client.status === 'ready';
  }

  /** For good; what was not answered yet is given up. */
  close(): void {
    this.usable = false;
    this.client.disconnect();
  }

  private change(usable: boolean, cause: string): void {
    if (this.usable === usable) return;
    this.usable = usable;
    if (usable) this.logger.log('Redis can be used');
    else this.logger.warn(`Redis cannot be used: ${cause}`);
  }
}

/** What went wrong, without texts that could hold an address, a key or a credential. */
export function causeOf(error: unknown): string {
  const { code, message, name } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code !== undefined) return code;
  if (message === 'Command timed out') return 'timeout';
  // Errors of Redis begin with a word in capitals, such as OOM or WRONGPASS.
  return /^[A-Z]{2,20}(?= )/.exec(message ?? '')?.[0] ?? name ?? 'unknown';
}

function optionsOf(url: URL): RedisOptions {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: url.port === '' ? 6379 : Number(url.port),
    username: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: url.password === '' ? undefined : decodeURIComponent(url.password),
    db: Number(url.pathname.slice(1)),
    tls: url.protocol === 'rediss:' ? {} : undefined,
    // Older servers and proxies know this one too, and nothing of its successor is needed.
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    disconnectTimeout: REDIS_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** times) * (0.5 + Math.random() / 2),
  };
}
