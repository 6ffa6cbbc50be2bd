import { hash } from 'node:crypto';
import type { ExternalSystem } from '../../../config/external-system';
import type { Settings } from '../../../config/settings';
import type { Metrics } from '../../../metrics/metrics';
import { RedisConnection } from '../../../redis/redis-connection';
import type { CallPolicy } from '../policy/call-policy';
import { AnswerCache } from './answer-cache';
import { MemoryStore } from './memory-store';
import { RedisStore } from './redis-store';

/** The cache as the settings want it; `undefined` where they want none. */
export async function createAnswerCache(
  { cache, redisUrl, external }: Settings,
  { url }: ExternalSystem,
  policy: CallPolicy,
  { cacheObserver }: Metrics,
): Promise<AnswerCache | undefined> {
  if (cache.ttlMs === 0 && cache.staleIfErrorMs === 0) return undefined;
  const scope = scopeOf(url, external.token);
  const shared =
    redisUrl === undefined ? undefined : new RedisStore(await RedisConnection.open(redisUrl), scope, cacheObserver);
  const memory = new MemoryStore(cache.maxEntries, cache.maxBytes);
  return new AnswerCache(cache, memory, shared, (key) => policy.isInFlight(key), cacheObserver);
}

/** Whoever asks another system, or with another credential, may see other records. */
function scopeOf(url: URL, token: string | undefined): string {
  return hash('sha256', JSON.stringify([url.href, token ?? null]), 'base64url');
}
