import { Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { hash } from 'node:crypto';
import { RateLimiterRedis, type RateLimiterAbstract, type RateLimiterRes } from 'rate-limiter-flexible';
import { isPublic } from '../common/route-metadata';
import { withoutPort } from '../common/text';
import type { Settings } from '../config/settings';
import { ProblemException } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { RedisConnection } from '../redis/redis-connection';
import type { AccessMetrics } from './access.metrics';
import { LocalCounter } from './local-counter';

/** Counts requests in fixed windows and sets the headers of draft-ietf-httpapi-ratelimit-headers. */
export class RateLimiter {
  /**
   * @param local counts while Redis is unavailable, and always where there is none
   * @param shared counts in Redis, by `local` where a command fails
   */
  constructor(
    private readonly local: RateLimiterAbstract,
    private readonly shared?: RateLimiterAbstract,
    private readonly redis?: RedisConnection,
  ) {}

  private get counter(): RateLimiterAbstract {
    return this.redis?.ready === true && this.shared !== undefined ? this.shared : this.local;
  }

  /** @throws {ProblemException} 429 where the client has exceeded its limit */
  async consume(client: string, reply?: FastifyReply): Promise<void> {
    const quota = await this.counter.consume(keyOf(client)).catch((rejection: unknown) => {
      // The library rejects with the quota of a refused request.
      if (rejection instanceof Error) throw rejection;
      return this.refuse(rejection as RateLimiterRes, reply);
    });
    this.setHeaders(quota, reply);
  }

  /** @throws {ProblemException} 429 where the client has used up its limit; counts nothing */
  async refuseUsedUp(client: string, reply?: FastifyReply): Promise<void> {
    const quota = await this.counter.get(keyOf(client));
    if (quota !== null && quota.remainingPoints <= 0 && quota.msBeforeNext > 0) this.refuse(quota, reply);
  }

  private refuse(quota: RateLimiterRes, reply?: FastifyReply): never {
    const seconds = this.setHeaders(quota, reply);
    reply?.header('Retry-After', String(seconds));
    throw new ProblemException(PROBLEMS.rateLimitExceeded);
  }

  /** @returns the seconds until the window ends */
  private setHeaders({ msBeforeNext, remainingPoints }: RateLimiterRes, reply?: FastifyReply): number {
    const { points, duration } = this.counter;
    const seconds = Math.min(duration, Math.max(1, Math.ceil(msBeforeNext / 1000)));
    reply?.header('RateLimit-Policy', `"default";q=${points};w=${duration}`);
    reply?.header('RateLimit', `"default";r=${remainingPoints};t=${seconds}`);
    return seconds;
  }
}

/** `undefined` where no limit is configured. While Redis is unavailable, each replica counts for itself. */
export function createRateLimiter(
  { rateLimit }: Settings,
  metrics: AccessMetrics,
  redis?: RedisConnection,
): RateLimiter | undefined {
  if (rateLimit === undefined) return undefined;
  const limits = { points: rateLimit.max, duration: Math.ceil(rateLimit.windowMs / 1000) };
  const local = new LocalCounter(limits, () => {
    if (redis !== undefined) metrics.failures.inc({ failure: 'limit' });
  });
  if (redis === undefined) return new RateLimiter(local);
  const keyPrefix = 'shipping-query-service:rate-limit';
  const store = { storeClient: redis.client, keyPrefix, insuranceLimiter: local };
  return new RateLimiter(local, new RateLimiterRedis({ ...limits, ...store }), redis);
}

/** The key of a client is a digest, so that Redis holds no addresses and subjects. */
function keyOf(client: string): string {
  return hash('sha256', client, 'base64url');
}

/** The client that a request counts for: its credential, otherwise its address. */
export function clientOf(request: FastifyRequest): string {
  return request.user?.id ?? `address ${addressOf(request)}`;
}

/** The address that a failed authentication counts for. */
export function failuresOf(request: FastifyRequest): string {
  return `failures ${addressOf(request)}`;
}

/** An IPv6 address counts by its /64 network, and a text that is no address as the proxy that forwarded it. */
function addressOf({ ip, ips = [ip] }: FastifyRequest): string {
  const address = ipaddr.process(ips.map((each) => withoutPort(each)).findLast(isAddress) ?? '::');
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Limits the requests of each client, if configured, on every route that is not `@Public()`. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(@Optional() private readonly limiter?: RateLimiter) {}

  /** @throws {ProblemException} 429 */
  canActivate(execution: ExecutionContext): boolean | Promise<boolean> {
    // Messages of a microservice and GraphQL resolvers are no requests of their own.
    if (this.limiter === undefined || execution.getType() !== 'http' || isPublic(execution)) return true;
    return this.count(this.limiter, execution);
  }

  private async count(limiter: RateLimiter, execution: ExecutionContext): Promise<boolean> {
    const http = execution.switchToHttp();
    await limiter.consume(clientOf(http.getRequest<FastifyRequest>()), http.getResponse<FastifyReply>());
    return true;
  }
}
