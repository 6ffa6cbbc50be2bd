import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { causeOf, type RedisConnection } from '../redis/redis-connection';

/** How often a Redis that did not answer is tried again while its connection stands. */
const PROBE_MS = 250;

/**
 * Keeps requests from a Redis that does not answer: after a command that failed for want of an answer none is sent until
 * Redis has answered a probe, which no request waits for. That there are no limits, and that there are again, is logged
 * once each.
 */
export class RedisLink {
  private answers = true;
  private failing = false;
  private probe: NodeJS.Timeout | undefined;

  constructor(
    private readonly connection: RedisConnection,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Sends a command. `undefined`: Redis did not answer, or not with a result; it never rejects. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (!this.connection.ready) this.noteLoss('not connected');
    if (!this.connection.ready || !this.answers) return undefined;
    try {
      const result = await command(this.connection.client);
      if (this.failing) this.logger.info('Requests are limited again');
      this.failing = false;
      return result;
    } catch (error) {
      // An error that Redis answers with (out of memory, say) costs no time, so that there is no need to stay away.
      if (!(error instanceof Error && error.name === 'ReplyError')) this.stayAway();
      this.noteLoss(causeOf(error));
      return undefined;
    }
  }

  close(): void {
    clearTimeout(this.probe);
    this.connection.close();
  }

  private noteLoss(cause: string): void {
    if (!this.failing) this.logger.warn({ cause }, 'Redis is lost: requests are not limited');
    this.failing = true;
  }

  private stayAway(): void {
    this.answers = false;
    clearTimeout(this.probe);
    this.probe = setTimeout(() => {
      this.connection.client.ping().then(
        () => (this.answers = true),
        () => {
          this.stayAway();
        },
      );
    }, PROBE_MS).unref();
  }
}
