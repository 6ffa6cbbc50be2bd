import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';

const REDIS_TIMEOUT_MS = 75;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_MS = 5000;

/**
 * The connection to Redis, made in the background. Commands fail at once while there is none, and after 75 ms where Redis
 * does not respond: the connection is then closed, and a new one is ready only when Redis responds.
 */
export class RedisConnection implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisConnection.name);
  /** `undefined` before the first change. */
  private usable: boolean | undefined;

  private constructor(readonly client: Redis) {
    client.on('ready', () => {
      this.change(true, 'Redis is available');
    });
    client.on('error', (error) => {
      this.change(false, `Redis is unavailable: ${causeOf(error)}`);
    });
    client.on('close', () => {
      this.change(false, 'Redis is unavailable: connection closed');
    });
    client.connect().catch(() => undefined);
  }

  /** Starts to connect, without waiting. The library is loaded here, so that it costs nothing where it is not used. */
  static async open(url: URL): Promise<RedisConnection> {
    const { Redis } = await import('ioredis');
    return new RedisConnection(new Redis(url.href, OPTIONS));
  }

  /** Whether a command can be sent now. */
  get ready(): boolean {
    return this.client.status === 'ready';
  }

  onApplicationShutdown(): void {
    this.usable = false;
    this.client.disconnect();
  }

  private change(usable: boolean, message: string): void {
    if (this.usable === usable) return;
    this.usable = usable;
    this.logger[usable ? 'log' : 'warn'](message);
  }
}

/** The code of an error, or the word in capitals, such as OOM, with which errors of Redis begin; no other text of it. */
function causeOf({ code, message, name }: NodeJS.ErrnoException): string {
  if (/timeout|timed out/i.test(message)) return 'timeout';
  return code ?? /^[A-Z]{2,20}(?= )/.exec(message)?.[0] ?? name;
}

const OPTIONS: RedisOptions = {
  // Older servers and proxies support this one too.
  protocol: 2,
  disableClientInfo: true,
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: REDIS_TIMEOUT_MS,
  socketTimeout: REDIS_TIMEOUT_MS,
  disconnectTimeout: REDIS_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (times) => Math.min(MAX_RECONNECT_MS, 50 * 2 ** times) * (0.5 + Math.random() / 2),
};
