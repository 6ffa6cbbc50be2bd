import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CacheMetrics, StoreFailure } from './cache.metrics';
import { CacheStore, type CacheEntry } from './cache-store';

/** Larger entries would take too much of the longest wait for Redis. */
const MAX_ENTRY_BYTES = 1_048_576;

/** With the number of the format: entries of another one are not found. */
const PREFIX = 'shipping-query-service:cache:2:';

/** The entries that replicas share. While Redis is unavailable nothing is found and nothing is stored. */
export class RedisStore extends CacheStore {
  /**
   * @param scope decides who may read entries; entries of another scope are not found
   * @param keepMs how long Redis keeps an entry
   */
  constructor(
    private readonly connection: RedisConnection,
    private readonly scope: string,
    private readonly keepMs: number,
    private readonly metrics: CacheMetrics,
  ) {
    super();
  }

  override async get(key: string): Promise<CacheEntry | undefined> {
    const { client, ready } = this.connection;
    if (!ready) return undefined;
    // Bounded, whatever the size of the value in Redis.
    const value = await this.run('read', client.getrange(this.nameOf(key), 0, MAX_ENTRY_BYTES));
    if (value === undefined || value === '') return undefined;
    const entry = decode(value);
    if (entry === undefined) this.metrics.storeFailed('entry');
    return entry;
  }

  override set(key: string, { text, storedAt }: CacheEntry): void {
    const value = `${storedAt} ${text}`;
    if (!this.connection.ready || Buffer.byteLength(value) > MAX_ENTRY_BYTES) return;
    void this.run('write', this.connection.client.set(this.nameOf(key), value, 'PX', this.keepMs));
  }

  override delete(key: string): void {
    if (this.connection.ready) void this.run('write', this.connection.client.del(this.nameOf(key)));
  }

  private run<T>(kind: StoreFailure, command: Promise<T>): Promise<T | undefined> {
    return command.catch(() => {
      this.metrics.storeFailed(kind);
      return undefined;
    });
  }

  /** Keys are digests: no search term or identifier is visible in Redis. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }
}

/** @returns `undefined` for anything but an entry, such as one that was cut off */
function decode(value: string): CacheEntry | undefined {
  const [, storedAt, text = ''] = /^(\d{1,15}) (.*)$/s.exec(value) ?? [];
  try {
    JSON.parse(text);
    return { text, storedAt: Number(storedAt) };
  } catch {
    return undefined;
  }
}
