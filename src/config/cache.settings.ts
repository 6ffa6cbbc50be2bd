import type { EnvironmentReader } from './environment-reader';
import { DAY_MS } from './setting-definition';

/** Which results are cached, and for how long. */
export type CacheSettings = ReturnType<typeof readCache>;

/** Whether any result is cached. */
export function isCaching({ ttlMs, staleIfErrorMs }: CacheSettings): boolean {
  return ttlMs > 0 || staleIfErrorMs > 0;
}

export function readCache(reader: EnvironmentReader) {
  reader.section('Cache and Redis');
  return Object.freeze({
    ttlMs: reader.integer('CACHE_TTL_MS', {
      default: 0,
      min: 0,
      max: DAY_MS,
      help: 'How long a complete result is served from the cache, in milliseconds; 0: never.',
    }),
    staleIfErrorMs: reader.integer('CACHE_STALE_IF_ERROR_MS', {
      default: 0,
      min: 0,
      max: 7 * DAY_MS,
      help: 'How long after that it is served as `stale` while the external system fails; 0: never.',
    }),
    maxBytes: reader.integer('CACHE_MAX_BYTES', {
      default: 67_108_864,
      min: 1,
      max: 1_073_741_824,
      help: 'Memory that they may take in bytes, estimated on the high side.',
    }),
  });
}
