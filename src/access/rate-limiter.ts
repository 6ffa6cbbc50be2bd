import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Settings } from '../config/settings';
import { withoutPort } from '../common/addresses';
import { ProblemException } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import type { RedisConnection } from '../redis/redis-connection';
import type { AccessMetrics } from './access.metrics';

const KEY_PREFIX = 'shipping-query-service:rate-limit';

/** Clients that one replica counts; beyond, that of the oldest request starts anew. More than the /64 networks of a /48. */
const MAX_LOCAL_CLIENTS = 100_000;

/** The first four groups of an IPv6 address: the /64 network of one subscriber. */
const NETWORK_GROUPS = 4;

/**
 * Limits the requests of each client in fixed windows, and sets `RateLimit` and `RateLimit-Policy`
 * (draft-ietf-httpapi-ratelimit-headers). With Redis all replicas count together; while Redis is unavailable each replica
 * counts for itself.
 */
export class RateLimiter {
  private readonly windowSeconds: number;
  private readonly policy: string;
  private hasWarned = false;

  constructor(
    { max, windowMs }: NonNullable<Settings['rateLimit']>,
    private readonly counter: RateLimiterAbstract,
  ) {
    this.windowSeconds = secondsOf(windowMs);
    this.policy = `"default";q=${max};w=${this.windowSeconds}`;
  }

  /** Loads the library only where there is a limit. */
  static async create(
    { rateLimit }: Settings,
    metrics: AccessMetrics,
    redis: RedisConnection | undefined,
  ): Promise<RateLimiter> {
    if (rateLimit === undefined) throw new Error('There is no rate limit');
    const { RateLimiterMemory, RateLimiterRedis } = await import('rate-limiter-flexible');
    const limits = { points: rateLimit.max, duration: secondsOf(rateLimit.windowMs) };
    class LocalCounter extends RateLimiterMemory {
      private readonly clients = new LRUCache<string, true>({
        max: MAX_LOCAL_CLIENTS,
        dispose: (_, client) => void this.delete(client),
      });

      override consume(client: string): Promise<RateLimiterRes> {
        if (redis !== undefined) metrics.failed('limit');
        this.clients.set(client, true);
        return super.consume(client);
      }
    }
    const local = new LocalCounter(limits);
    if (redis === undefined) return new RateLimiter(rateLimit, local);
    const counter = new RateLimiterRedis({
      ...limits,
      keyPrefix: KEY_PREFIX,
      storeClient: redis.client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: local,
    });
    return new RateLimiter(rateLimit, counter);
  }

  /**
   * Counts one request of a client.
   *
   * @throws {ProblemException} 429 where the client has exceeded its limit
   */
  async consume(client: string, reply: FastifyReply): Promise<void> {
    const quota = await this.counter.consume(keyOf(client)).catch((rejection: unknown) => {
      this.refuse(quotaOf(rejection), reply);
    });
    this.setHeaders(quota, reply);
  }

  /**
   * Counts nothing.
   *
   * @throws {ProblemException} 429 where the client has used up its limit
   */
  async refuseUsedUp(client: string, reply: FastifyReply): Promise<void> {
    const quota = await this.counter.get(keyOf(client));
    if (quota !== null && quota.remainingPoints <= 0 && quota.msBeforeNext > 0) this.refuse(quota, reply);
  }

  /** The address of a client; of IPv6 its /64 network. What is no address counts as the proxy that forwarded it. */
  addressOf({ ip, ips = [ip] }: FastifyRequest): string {
    const addresses = ips.map((address) => withoutPort(address));
    const address = addresses.findLast(isAddress) ?? '::';
    if (ips.length > 1 && address !== addresses.at(-1)) this.warnOfProxy();
    const parsed = ipaddr.process(address);
    return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, NETWORK_GROUPS).join(':') : parsed.toString();
  }

  private warnOfProxy(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    new Logger(RateLimiter.name).warn(
      'A trusted proxy forwards no address in X-Forwarded-For: its clients share a limit',
    );
  }

  private refuse(quota: RateLimiterRes, reply: FastifyReply): never {
    reply.header('Retry-After', String(this.setHeaders(quota, reply)));
    throw new ProblemException(PROBLEMS.rateLimitExceeded);
  }

  /** @returns the seconds until the window ends */
  private setHeaders({ msBeforeNext, remainingPoints }: RateLimiterRes, reply: FastifyReply): number {
    const seconds = Math.min(this.windowSeconds, Math.max(1, Math.ceil(msBeforeNext / 1000)));
    reply.header('RateLimit-Policy', this.policy).header('RateLimit', `"default";r=${remainingPoints};t=${seconds}`);
    return seconds;
  }
}

/** A digest has a fixed length, and keeps addresses and subjects out of Redis. */
function keyOf(client: string): string {
  return hash('sha256', client, 'base64url');
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function secondsOf(windowMs: number): number {
  return Math.ceil(windowMs / 1000);
}

/** The library rejects with the quota of a refused request, and with an error where it fails. */
function quotaOf(rejection: unknown): RateLimiterRes {
  if (rejection instanceof Error) throw rejection;
  return rejection as RateLimiterRes;
}
