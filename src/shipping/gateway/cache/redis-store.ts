import { hash } from 'node:crypto';
import { copyOf, SharedBody } from '../../../http/shared-body';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { GatewayMetrics, StoreFailure } from '../gateway.metrics';
import type { CacheEntry, CacheStore } from './result-cache';

/** Larger entries are not stored, because they would take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

const PREFIX = 'shipping-query-service:cache:';

/**
 * Stores entries in Redis, where replicas share them. While Redis is unavailable, no entry is found and none is stored.
 */
export class RedisStore implements CacheStore {
  /**
   * @param scope part of the name of each entry, so that a service with another version, base URL or wire format does
   * not find it
   */
  constructor(
    private readonly connection: RedisConnection,
    private readonly scope: string,
    private readonly keepMs: number,
    private readonly metrics: GatewayMetrics,
  ) {}

  async get(key: string): Promise<CacheEntry | undefined> {
    const { client, ready } = this.connection;
    if (!ready) return undefined;
    const name = this.nameOf(key);
    // Another program may have stored a value of any size by this name. No more bytes are read than an entry may have.
    const value: unknown = await this.run('read', () => client.getrangeBuffer(name, 0, MAX_ENTRY_BYTES));
    if (value === undefined || (Buffer.isBuffer(value) && value.length === 0)) return undefined;
    return this.run('entry', () => decode(name, value as Buffer));
  }

  /** @param condition `XX` for an entry that must not be stored anew */
  set(key: string, entry: CacheEntry, ...condition: ['XX'] | []): void {
    const { client, ready } = this.connection;
    const name = this.nameOf(key);
    const value = encode(name, entry);
    const leftMs = entry.storedAt + this.keepMs - Date.now();
    if (!ready || value.length > MAX_ENTRY_BYTES || leftMs < 1) return;
    void this.run('write', () => client.set(name, value, 'PX', leftMs, ...(condition as ['XX'])));
  }

  update(key: string, entry: CacheEntry): void {
    this.set(key, entry, 'XX');
  }

  delete(key: string): void {
    if (this.connection.ready) void this.run('write', () => this.connection.client.del(this.nameOf(key)));
  }

  private async run<T>(failure: StoreFailure, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      this.metrics.storeFailures.inc({ failure });
      return undefined;
    }
  }

  /** The name of an entry is a digest, so that Redis shows no search term and no identifier. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }
}

/**
 * The first line of a value: what is known of an entry, and the lengths of the bodies behind the line: of the text, and
 * of its gzip coding, which is 0 where no client has asked for it.
 */
type Head = Omit<CacheEntry, 'body'> & { name: string; etag: string; lengths: [number, number] };

/** A value is a line of JSON, and the body as text and, where a client has asked for it, compressed. */
function encode(name: string, { body, ...facts }: CacheEntry): Buffer {
  const [json, gzip] = [Buffer.from(body.json), body.encoded ?? Buffer.alloc(0)];
  const head: Head = { ...facts, name, etag: body.etag, lengths: [json.length, gzip.length] };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), json, gzip]);
}

/**
 * Throws where the value is no entry of this name, or was cut off: another program may have stored it, and another
 * server than Redis, which sends a null or a number, may stand behind the address.
 */
function decode(name: string, value: Buffer): CacheEntry {
  const end = value.indexOf('\n');
  const { name: own, etag, lengths, ...facts } = JSON.parse(value.toString('utf8', 0, end)) as Head;
  const json = end + 1;
  const gzip = json + lengths[0];
  if (own !== name || gzip + lengths[1] !== value.length) throw new TypeError('no entry');
  // Copies, because a hit is held until its response is sent, longer than the value (D59).
  const encoded = gzip < value.length ? copyOf(value.subarray(gzip)) : undefined;
  return { ...facts, body: new SharedBody(copyOf(value.subarray(json, gzip)), etag, encoded) };
}
