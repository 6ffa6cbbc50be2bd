import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { CacheMetrics, StoreFailure } from './cache.metrics';
import type { CacheEntry, CacheStore } from './result-cache';

/** Larger entries are not stored, because they would take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

/** The number changes with the format of entries, so that no release reads entries in the format of another one. */
const PREFIX = 'shipping-query-service:cache:4:';

/**
 * Stores entries in Redis, where replicas share them. While Redis is unavailable, no entry is found and none is stored.
 */
export class RedisStore implements CacheStore {
  /**
   * @param scope part of the name of each entry, so that a service with another base URL or wire format does not find
   * it
   */
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
    // Another program may have stored a value of any size by this name. No more bytes are read than an entry may have.
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

/**
 * A digest that ties a text to the name of its entry. Where it differs, the value was cut off or stored by another
 * program, and is not used.
 */
function sealOf(name: string, text: string): string {
  return hash('sha256', `${name} ${text}`, 'base64url');
}

function decode(name: string, value: string): CacheEntry | undefined {
  const [, storedAt, seal, text = ''] = /^(\d{1,15}) ([\w-]{43}) (.*)$/s.exec(value) ?? [];
  return seal === sealOf(name, text) ? { text, storedAt: Number(storedAt) } : undefined;
}
