import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CacheMetrics, StoreFailure } from './cache.metrics';
import { CacheStore, type CacheEntry } from './cache-store';

/** Larger entries take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

/** With the number of the format. */
const PREFIX = 'shipping-query-service:cache:2:';

/** Entries that replicas share; while Redis is unavailable there are none. */
export class RedisStore extends CacheStore {
  /** @param scope entries of another scope are not found */
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
    // The value may have any size.
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

  /** A digest: no search term or identifier is visible in Redis. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }
}

/** Entries that were cut off are invalid. */
function decode(value: string): CacheEntry | undefined {
  const [, storedAt, text = ''] = /^(\d{1,15}) (.*)$/s.exec(value) ?? [];
  try {
    JSON.parse(text);
    return { text, storedAt: Number(storedAt) };
  } catch {
    return undefined;
  }
}
