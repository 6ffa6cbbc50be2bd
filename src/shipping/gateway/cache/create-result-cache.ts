import { hash } from 'node:crypto';
import { identityOf } from '../../../config/credentials.settings';
import type { ExternalSystem } from '../../../config/external-system';
import type { Settings } from '../../../config/settings';
import { RedisConnection } from '../../../redis/redis-connection';
import type { CallPolicy } from '../../../resilience/call-policy';
import type { ShippingProtocol } from '../protocol/shipping-protocol';
import type { CacheMetrics } from './cache.metrics';
import { MemoryStore } from './memory-store';
import { RedisStore } from './redis-store';
import { ResultCache } from './result-cache';

/** Creates the cache; `undefined` where the settings switch it off. */
export async function createResultCache(
  { cache, redisUrl, external }: Settings,
  { url }: ExternalSystem,
  policy: CallPolicy,
  metrics: CacheMetrics,
  protocol: ShippingProtocol,
): Promise<ResultCache | undefined> {
  if (cache.ttlMs === 0 && cache.staleIfErrorMs === 0) return undefined;
  const scope = scopeOf(url, external, protocol);
  const shared =
    redisUrl === undefined ? undefined : new RedisStore(await RedisConnection.open(redisUrl), scope, metrics);
  const memory = new MemoryStore(cache.maxEntries, cache.maxBytes);
  return new ResultCache(cache, memory, shared, (key) => policy.isInFlight(key), metrics);
}

/**
 * Another external system, path, protocol, credential or other headers may return other records; a rotated credential
 * returns the same.
 */
function scopeOf(
  url: URL,
  { paths, credentials, tls, headers }: Settings['external'],
  protocol: ShippingProtocol,
): string {
  const parts = [url.href, paths, protocol.constructor.name, identityOf(credentials), tls?.certFile, headers];
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
