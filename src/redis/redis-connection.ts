import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';

/** What one use of Redis may cost a request at most is 75 ms; timers are late by some. */
const COMMAND_TIMEOUT_MS = 70;
/** How often a Redis that was lost is tried again while its connection stands. */
const PROBE_MS = 250;
const LONGEST_RECONNECT_MS = 2000;

const OPTIONS: RedisOptions = {
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 2000,
  // A connection that says nothing is given up, with whatever waits on it.
  socketTimeout: 5000,
  // When it is closed, that is over soon, whatever Redis does.
  disconnectTimeout: 200,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  retryStrategy: (times) => Math.min(100 * times, LONGEST_RECONNECT_MS),
  // After a failover, the address may lead to the new primary.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
};

/**
 * One connection to Redis that may be lost without anybody waiting for it: a command gets 70 ms, and after one that
 * failed for want of an answer none is sent until Redis has answered a probe. Losing it and having it back are logged
 * once each.
 */
export class RedisConnection {
  /** Whether commands are sent. */
  private reachable = false;
  private told: 'nothing' | 'lost' | 'back' = 'nothing';
  private probe: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    redis.on('ready', () => {
      this.reachable = true;
      this.tellBack();
    });
    redis.on('close', () => {
      this.reachable = false;
      this.tellLost('closed');
    });
    // Each is followed by `close`.
    redis.on('error', () => undefined);
  }

  /** Sends a command. `undefined`: Redis did not answer, or not with a result; it never throws. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (!this.reachable) return undefined;
    try {
      const result = await command(this.redis);
      this.tellBack();
      return result;
    } catch (error) {
      // An error that Redis answers with (out of memory, say) costs no time, so that there is no need to stay away.
      const isAnswer = error instanceof Error && error.name === 'ReplyError';
      if (!isAnswer) this.stayAway();
      this.tellLost(isAnswer ? 'refused' : 'no answer');
      return undefined;
    }
  }

  close(): void {
    clearTimeout(this.probe);
    this.told = 'lost';
    this.redis.disconnect();
  }

  private stayAway(): void {
    this.reachable = false;
    clearTimeout(this.probe);
    this.probe = setTimeout(() => {
      // A new connection says so itself once it is ready.
      if (this.redis.status !== 'ready') return;
      this.redis.ping().then(
        () => (this.reachable = true),
        () => {
          this.stayAway();
        },
      );
    }, PROBE_MS).unref();
  }

  private tellLost(reason: string): void {
    if (this.told === 'lost') return;
    this.told = 'lost';
    this.logger.warn({ reason }, 'Redis is lost; the service goes on without it');
  }

  private tellBack(): void {
    if (this.told === 'lost') this.logger.info('Redis is back');
    this.told = 'back';
  }
}

/**
 * Connects to Redis in the background: nobody waits for it, and the service starts without it.
 *
 * @param url `redis://` or `rediss://`, a secret
 */
export async function connectRedis(url: string, logger: Pick<Logger, 'info' | 'warn'>): Promise<RedisConnection> {
  const { Redis: Client } = await import('ioredis');
  return new RedisConnection(new Client(url, OPTIONS), logger);
}
