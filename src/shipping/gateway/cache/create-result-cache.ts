import { hash } from 'node:crypto';
import { isCaching } from '../../../config/cache.settings';
import { identityOf } from '../../../config/credentials.settings';
import type { ExternalSystem } from '../../../config/external-system';
import type { Settings } from '../../../config/settings';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CallPolicy } from '../../../resilience/call-policy';
import type { ShippingProtocol } from '../protocol/shipping-protocol';
import type { CacheMetrics } from './cache.metrics';
import { MemoryStore } from './memory-store';
import { RedisStore } from './redis-store';
import { ResultCache } from './result-cache';

/** Creates the cache; `undefined` where the settings switch it off. */
export function createResultCache(
  { cache, external }: Settings,
  { url }: ExternalSystem,
  policy: CallPolicy,
  metrics: CacheMetrics,
  protocol: ShippingProtocol,
  redis?: RedisConnection,
): ResultCache | undefined {
  if (!isCaching(cache)) return undefined;
  const shared = redis && new RedisStore(redis, scopeOf(url, external, protocol), metrics);
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
