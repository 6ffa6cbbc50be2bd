import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { type Counter, Registry } from 'prom-client';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { withoutPort } from '../common/text';
import type { Settings } from '../config/settings';
import { ProblemException, PROBLEMS } from '../http/problems/problem-definitions';
import { counter } from '../observability/metrics/metrics.module';
import type { RedisConnection } from '../redis/redis-connection';

/**
 * Clients that this process counts at most (D32); beyond that, the one whose last request is longest ago is counted
 * from zero again. IPv6 clients are counted by their /64 networks, and this number is larger than that of the networks
 * of a /48 (65,536): somebody who has a whole /48, as sites commonly do, cannot reset their own counts by using all of
 * them.
 */
const MAX_LOCAL_CLIENTS = 100_000;

/** Counts where authentication or rate limiting could not work as configured, for the alerts. */
@Injectable()
export class AccessMetrics {
  readonly failures: Counter<'failure'>;

  constructor(registry: Registry) {
    const help =
      'Requests counted by this replica alone because Redis was unavailable (limit), and requests refused because the keys of the token issuer were unavailable (keys)';
    this.failures = counter(registry, 'shipping_guard_failures_total', help, 'failure', ['limit', 'keys']);
  }
}

/**
 * Counts requests in fixed windows and sets the headers of draft-ietf-httpapi-ratelimit-headers. Where Redis is
 * configured, all replicas count together in it; without Redis, or while it is unavailable or refuses commands, each
 * replica counts for itself (D32).
 */
export class RateLimiter {
  private readonly limits: { readonly points: number; readonly duration: number };
  private readonly local: RateLimiterAbstract;
  private readonly shared: RateLimiterAbstract | undefined;
  /** Bounds the number of clients that `local` counts: rate-limiter-flexible would keep each until its window ends. */
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
    redis?.client.once('ready', () => void warnOfEvictions(redis.client));
  }

  /**
   * Counts a request.
   *
   * @throws {ProblemException} 429 where the client has exceeded its limit
   */
  async consume(client: string, reply: FastifyReply): Promise<void> {
    // The key is a digest, so that no addresses and subjects are stored in Redis.
    const key = hash('sha256', client, 'base64url');
    const quota = await this.count(key);
    const { points, duration } = this.limits;
    const seconds = Math.min(duration, Math.max(1, Math.ceil(quota.msBeforeNext / 1000)));
    reply.header('RateLimit-Policy', `"default";q=${points};w=${duration}`);
    reply.header('RateLimit', `"default";r=${quota.remainingPoints};t=${seconds}`);
    if (quota.consumedPoints <= points) return;
    reply.header('Retry-After', String(seconds));
    throw new ProblemException(PROBLEMS.rateLimitExceeded);
  }

  /**
   * Counts in Redis. Where Redis is unavailable, refuses the command or returns no numbers, the replica counts alone.
   */
  private async count(key: string): Promise<RateLimiterRes> {
    if (this.shared !== undefined && this.redis?.ready === true) {
      const quota = await quotaOf(this.shared, key);
      if (Number.isFinite(quota.consumedPoints + quota.msBeforeNext)) return quota;
    }
    this.localClients.set(key, true);
    if (this.redis !== undefined) this.metrics.failures.inc({ failure: 'limit' });
    return quotaOf(this.local, key);
  }
}

/** rate-limiter-flexible rejects a request over the limit with its quota. An error has none of its numbers. */
function quotaOf(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes> {
  return limiter.consume(key).catch((rejection: unknown) => rejection as RateLimiterRes);
}

/**
 * Warns where Redis may remove the count of a client who fills it (D32), as by `allkeys-lru`. A count that rises is
 * used more often than what fills Redis, so that `allkeys-lfu` keeps it.
 */
async function warnOfEvictions(client: RedisConnection['client']): Promise<void> {
  const facts = await client.info('memory').catch(() => '');
  const [, policy] = /^maxmemory_policy:(?!noeviction|allkeys-lfu)([a-z-]+)/m.exec(facts) ?? [];
  if (policy === undefined) return;
  new Logger(RateLimiter.name).warn(
    `Redis evicts by ${policy}, which resets rate limits: set allkeys-lfu or noeviction`,
  );
}

/** The client that a request is counted for: its credential where it has one, otherwise its address. */
export function clientOf(request: FastifyRequest): string {
  return request.user?.id ?? `address ${addressOf(request)}`;
}

/**
 * The name under which the failed authentications of an address are counted. They have a limit of their own, so that
 * somebody who guesses credentials uses up nothing of the clients behind the same address (D32).
 */
export function failuresOf(request: FastifyRequest): string {
  return `failures ${addressOf(request)}`;
}

/**
 * The address of a client. `ips` has the address of the connection, followed by those that trusted proxies have
 * forwarded, up to that of the client. Where the last one is no address, the one before it counts (D46). An IPv6
 * address counts by its /64 network, because one client usually has a whole /64 and could send each request from
 * another address.
 */
function addressOf({ ip, ips = [ip] }: FastifyRequest): string {
  const address = ipaddr.process(ips.map((each) => withoutPort(each)).findLast(isAddress) ?? '::');
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
