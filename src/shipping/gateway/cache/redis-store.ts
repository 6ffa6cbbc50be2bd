import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CacheMetrics, StoreFailure } from './cache.metrics';
import type { CacheEntry, CacheStore } from './result-cache';

/** Larger entries would take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

/** The number changes with the format of entries, so that releases do not read those of each other. */
const PREFIX = 'shipping-query-service:cache:4:';

/** Entries that replicas share in Redis; while it is unavailable, there are none. */
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
    const name = this.nameOf(key);
    // A foreign value may have any size, so that only a part is read.
    const value = await this.run('read', client.getrange(name, 0, MAX_ENTRY_BYTES));
    if (value === undefined || value === '') return undefined;
    const entry = decode(name, value);
    if (entry === undefined) this.metrics.failures.inc({ failure: 'entry' });
    return entry;
  }

  set(key: string, { text, storedAt }: CacheEntry): void {
    const name = this.nameOf(key);
    const value = `${storedAt} ${sealOf(name, text)} ${text}`;
    if (!this.connection.ready || Buffer.byteLength(value) > MAX_ENTRY_BYTES) return;
    void this.run('write', this.connection.client.set(name, value, 'PX', this.keepMs));
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

  /** The name of an entry is a digest, so that Redis shows no search term and no identifier. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }
}

/** Ties a text to the name of its entry: what was cut off, or written by something else, is no result of the operation. */
function sealOf(name: string, text: string): string {
  return hash('sha256', `${name} ${text}`, 'base64url');
}

function decode(name: string, value: string): CacheEntry | undefined {
  const [, storedAt, seal, text = ''] = /^(\d{1,15}) ([\w-]{43}) (.*)$/s.exec(value) ?? [];
  return seal === sealOf(name, text) ? { text, storedAt: Number(storedAt) } : undefined;
}
