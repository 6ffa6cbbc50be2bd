import { hash } from 'node:crypto';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { UpstreamOperation } from '../protocol/shipping-protocol';
import type { CacheMetrics } from './cache.metrics';
import type { CacheEntry } from './memory-store';

const FORMAT = 1;

/** An entry as JSON. */
interface StoredEntry {
  readonly format: number;
  readonly operation: string;
  readonly storedAt: number;
  readonly body: unknown;
}

/** Encodes an entry as JSON. */
export function encodeEntry({ name }: UpstreamOperation, { body, storedAt }: CacheEntry): string {
  const entry: StoredEntry = { format: FORMAT, operation: name, storedAt, body };
  return JSON.stringify(entry);
}

/**
 * Decodes what {@link encodeEntry} wrote.
 *
 * @returns `undefined` for invalid JSON, an entry of another format or operation, and a body that the operation cannot have
 */
export function decodeEntry({ name, isBody }: UpstreamOperation, text: string): CacheEntry | undefined {
  let entry: Partial<StoredEntry> | null;
  try {
    entry = JSON.parse(text) as Partial<StoredEntry> | null;
  } catch {
    return undefined;
  }
  const { format, operation, storedAt, body } = entry ?? {};
  if (format !== FORMAT || operation !== name || !isTimestamp(storedAt) || !isBody(body)) return undefined;
  return { body, storedAt };
}

function isTimestamp(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Larger entries would take too much of the longest wait for Redis. */
export const MAX_ENTRY_BYTES = 1_048_576;

const PREFIX = 'shipping-query-service:answer:';

/**
 * The entries that replicas share. Nothing here throws or rejects: while Redis is unavailable nothing is found and nothing
 * is stored.
 */
export class RedisStore {
  private readonly pending = new Map<string, Promise<CacheEntry | undefined>>();

  /** @param scope decides who may read entries; entries of another scope are not found */
  constructor(
    private readonly connection: RedisConnection,
    private readonly scope: string,
    private readonly metrics: CacheMetrics,
  ) {}

  /** Reads an entry, once for all concurrent calls with the same key; `undefined` where Redis is unavailable. */
  read(operation: UpstreamOperation, key: string): Promise<CacheEntry | undefined> | undefined {
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending;
    if (!this.connection.ready) return undefined;
    const reading = this.readEntry(operation, key);
    this.pending.set(key, reading);
    return reading;
  }

  /** @returns whether the entry was sent; no call waits until it is stored */
  write(operation: UpstreamOperation, key: string, entry: CacheEntry, keepMs: number): boolean {
    if (!this.connection.ready) return false;
    const text = encodeEntry(operation, entry);
    if (Buffer.byteLength(text) > MAX_ENTRY_BYTES) return false;
    void this.run('write', this.connection.client.set(this.nameOf(key), text, 'PX', keepMs));
    return true;
  }

  /** Removes an entry where Redis is available. */
  remove(key: string): void {
    if (this.connection.ready) void this.run('write', this.connection.client.del(this.nameOf(key)));
  }

  private async readEntry(operation: UpstreamOperation, key: string): Promise<CacheEntry | undefined> {
    // Bounded, whatever the size of the value in Redis.
    const text = await this.run('read', this.connection.client.getrange(this.nameOf(key), 0, MAX_ENTRY_BYTES));
    this.pending.delete(key);
    if (text === undefined || text === '') return undefined;
    const entry = decodeEntry(operation, text);
    if (entry === undefined) this.metrics.storeFailed('entry');
    return entry;
  }

  /** The result of a command; `undefined` where it fails. */
  private run<T>(kind: 'read' | 'write', command: Promise<T>): Promise<T | undefined> {
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
