import proxyAddr, { compile } from '@fastify/proxy-addr';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { RateLimitSettings, Settings } from '../config/settings';
import type { ProblemKind } from '../http/problem';
import { RedisConnection } from '../redis/redis-connection';
import { LocalCounter } from './local-counter';
import type { Quota, QuotaCounter } from './quota';
import { RedisCounter } from './redis-counter';
import { RedisLink } from './redis-link';

type Normalise = (address: string) => string;
/** The client's address, by those of the proxies that are believed. */
type Locate = (request: IncomingMessage) => string;

/** Too many requests of one caller. */
export const RATE_LIMIT_EXCEEDED: ProblemKind = {
  status: 429,
  code: 'rate-limit-exceeded',
  detail: 'There were too many requests; see Retry-After.',
};

/** Limits how many requests a caller may make, and tells it so (draft-ietf-httpapi-ratelimit-headers). */
export class RateLimiter {
  private readonly policy: string;
  private readonly windowSeconds: number;

  private constructor(
    { max, windowMs }: RateLimitSettings,
    private readonly counter: QuotaCounter,
    private readonly locate: Locate,
    private readonly normalise: Normalise,
    readonly close: () => void,
  ) {
    this.windowSeconds = Math.ceil(windowMs / 1000);
    this.policy = `"default";q=${max};w=${this.windowSeconds}`;
  }

  /** @returns `undefined` where there is no limit */
  static async create(
    { rateLimit, redisUrl, trustedProxies }: Settings,
    logger: Pick<Logger, 'info' | 'warn'>,
  ): Promise<RateLimiter | undefined> {
    if (rateLimit === undefined) return undefined;
    const { normalizeIP } = await import('@fastify/rate-limit');
    const trust = compile([...trustedProxies]);
    const locate: Locate = (request) => proxyAddr(request, trust);
    if (redisUrl === undefined) {
      return new RateLimiter(rateLimit, new LocalCounter(rateLimit), locate, normalizeIP, () => undefined);
    }
    const link = new RedisLink(await RedisConnection.open(redisUrl), logger);
    return new RateLimiter(rateLimit, new RedisCounter(rateLimit, link), locate, normalizeIP, () => {
      link.close();
    });
  }

  /** Asks for one request of this caller, and tells it what is left. `undefined`: nobody can tell, so that it may go on. */
  async take(caller: string, reply: FastifyReply): Promise<Quota | undefined> {
    // Of one length, whatever a token or a proxy says; and neither addresses nor subjects lie about in Redis.
    const quota = await this.counter.take(hash('sha256', caller, 'base64url'));
    if (quota === undefined) return undefined;
    const seconds = this.secondsLeft(quota);
    reply.header('RateLimit-Policy', this.policy).header('RateLimit', left(quota.remaining, seconds));
    if (!quota.granted) reply.header('Retry-After', String(seconds));
    return quota;
  }

  /** Makes the request one that was never counted. */
  giveBack(reply: FastifyReply, quota: Quota): void {
    quota.giveBack();
    reply.header('RateLimit', left(quota.remaining + 1, this.secondsLeft(quota)));
  }

  /** The caller behind an address; IPv6 by its network of /64, which one subscriber has to itself. */
  addressOf({ raw }: FastifyRequest): string {
    // Not `request.ip`: where the path could not be decoded, that knows of no proxies.
    const address = this.locate(raw);
    // What a proxy passes on may be anything.
    return this.normalise(isIP(address) === 0 ? (raw.socket.remoteAddress ?? '::') : address);
  }

  private secondsLeft({ resetMs }: Quota): number {
    return Math.min(this.windowSeconds, Math.max(1, Math.ceil(resetMs / 1000)));
  }
}

function left(remaining: number, seconds: number): string {
  return `"default";r=${remaining};t=${seconds}`;
}
