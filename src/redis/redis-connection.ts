import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';

const REDIS_TIMEOUT_MS = 75;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_MS = 5000;

/** Connects to Redis in the background. Commands fail at once without a connection, and after 75 ms without a response. */
export class RedisConnection implements OnApplicationShutdown {
  private readonly logger = new Logger(RedisConnection.name);
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

  /** Starts to connect, without waiting. */
  static async open(url: URL): Promise<RedisConnection> {
    const { Redis } = await import('ioredis');
    return new RedisConnection(new Redis(url.href, OPTIONS));
  }

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

/** Of the message, only the word in capitals with which Redis begins, such as OOM. */
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
