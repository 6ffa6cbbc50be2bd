import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CacheMetrics, StoreFailure } from './cache.metrics';
import type { CacheEntry, CacheStore } from './result-cache';

/** Larger entries take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

/** With the number of the format. */
const PREFIX = 'shipping-query-service:cache:2:';

/** Entries that replicas share; while Redis is unavailable there are none. */
export class RedisStore implements CacheStore {
  /** @param scope entries of another scope are not found */
  constructor(
    private readonly connection: RedisConnection,
    private readonly scope: string,
    private readonly keepMs: number,
    private readonly metrics: CacheMetrics,
  ) {}

  async get(key: string): Promise<CacheEntry | undefined> {
    const { client, ready } = this.connection;
    if (!ready) return undefined;
    // The value may have any size.
    const value = await this.run('read', client.getrange(this.nameOf(key), 0, MAX_ENTRY_BYTES));
    if (value === undefined || value === '') return undefined;
    const entry = decode(value);
    if (entry === undefined) this.metrics.failures.inc({ failure: 'entry' });
    return entry;
  }

  set(key: string, { text, storedAt }: CacheEntry): void {
    const value = `${storedAt} ${text}`;
    if (!this.connection.ready || Buffer.byteLength(value) > MAX_ENTRY_BYTES) return;
    void this.run('write', this.connection.client.set(this.nameOf(key), value, 'PX', this.keepMs));
  }

  delete(key: string): void {
    if (this.connection.ready) void this.run('write', this.connection.client.del(this.nameOf(key)));
  }

  private run<T>(failure: StoreFailure, command: Promise<T>): Promise<T | undefined> {
    return command.catch(() => {
      this.metrics.failures.inc({ failure });
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
