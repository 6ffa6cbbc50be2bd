import { Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { isPublic } from '../common/route-metadata';
import { withoutPort } from '../common/text';
import type { Settings } from '../config/settings';
import { ProblemException, PROBLEMS } from '../http/problems/problem-definitions';
import type { RedisConnection } from '../redis/redis-connection';
import type { AccessMetrics } from './access.metrics';

/** More than the /64 networks of a /48. Beyond this number, the client that made no request for longest starts anew. */
const MAX_LOCAL_CLIENTS = 100_000;

/**
 * Counts requests in fixed windows and sets the headers of draft-ietf-httpapi-ratelimit-headers. Replicas count together
 * in Redis; while it is unavailable or refuses commands, each counts for itself.
 */
export class RateLimiter {
  private readonly limits: { readonly points: number; readonly duration: number };
  private readonly local: RateLimiterAbstract;
  private readonly shared: RateLimiterAbstract | undefined;
  /** Bounds the clients that `local` counts, which the library does not. */
  private readonly localClients = new LRUCache<string, true>({
    max: MAX_LOCAL_CLIENTS,
    dispose: (_, key) => void this.local.delete(key),
  });

  constructor(
    { RateLimiterMemory, RateLimiterRedis }: typeof import('rate-limiter-flexible'),
    { max, windowMs }: NonNullable<Settings['rateLimit']>,
    private readonly metrics: AccessMetrics,
    private readonly redis?: RedisConnection,
  ) {
    this.limits = { points: max, duration: Math.ceil(windowMs / 1000) };
    this.local = new RateLimiterMemory(this.limits);
    const keyPrefix = 'shipping-query-service:rate-limit';
    this.shared = redis && new RateLimiterRedis({ ...this.limits, storeClient: redis.client, keyPrefix });
  }

  /** @throws {ProblemException} 429 where the client has exceeded its limit */
  async consume(client: string, reply?: FastifyReply): Promise<void> {
    const key = keyOf(client);
    try {
      const quota = await this.run((counter) => {
        if (counter === this.local) this.onLocalRequest(key);
        return counter.consume(key);
      });
      this.setHeaders(quota, reply);
    } catch (rejection) {
      if (rejection instanceof Error) throw rejection;
      this.refuse(rejection as RateLimiterRes, reply);
    }
  }

  /** @throws {ProblemException} 429 where the client has used up its limit; counts nothing */
  async refuseUsedUp(client: string, reply?: FastifyReply): Promise<void> {
    const quota = await this.run((counter) => counter.get(keyOf(client)));
    if (quota !== null && quota.remainingPoints <= 0 && quota.msBeforeNext > 0) this.refuse(quota, reply);
  }

  private async run<T>(command: (counter: RateLimiterAbstract) => Promise<T>): Promise<T> {
    if (this.shared !== undefined && this.redis?.ready === true) {
      try {
        return await command(this.shared);
      } catch (rejection) {
        // The library rejects with the quota of a refused request, which is no failure of Redis.
        if (!(rejection instanceof Error)) throw rejection;
      }
    }
    return command(this.local);
  }

  private onLocalRequest(key: string): void {
    this.localClients.set(key, true);
    if (this.redis !== undefined) this.metrics.failures.inc({ failure: 'limit' });
  }

  private refuse(quota: RateLimiterRes, reply?: FastifyReply): never {
    const seconds = this.setHeaders(quota, reply);
    reply?.header('Retry-After', String(seconds));
    throw new ProblemException(PROBLEMS.rateLimitExceeded);
  }

  /** @returns the seconds until the window ends */
  private setHeaders({ msBeforeNext, remainingPoints }: RateLimiterRes, reply?: FastifyReply): number {
    const { points, duration } = this.limits;
    const seconds = Math.min(duration, Math.max(1, Math.ceil(msBeforeNext / 1000)));
    reply?.header('RateLimit-Policy', `"default";q=${points};w=${duration}`);
    reply?.header('RateLimit', `"default";r=${remainingPoints};t=${seconds}`);
    return seconds;
  }
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
    const [request, reply] = execution.getArgs<[FastifyRequest, FastifyReply]>();
    return this.limiter.consume(clientOf(request), reply).then(() => true);
  }
}
