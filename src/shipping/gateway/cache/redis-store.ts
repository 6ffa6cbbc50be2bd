import { hash } from 'node:crypto';
import { copyOf, SharedBody } from '../../../http/responses/shared-body';
import type { RedisConnection } from '../../../redis/redis-connection';
import type { GatewayMetrics, StoreFailure } from '../gateway.metrics';
import type { CacheEntry, CacheStore } from './result-cache';

/** Larger entries are not stored, because they would take too long to read. */
const MAX_ENTRY_BYTES = 1_048_576;

/** The number changes with the format of entries, so that no release reads entries in the format of another one. */
const PREFIX = 'shipping-query-service:cache:6:';

/**
 * Stores entries in Redis, where replicas share them. While Redis is unavailable, no entry is found and none is stored.
 */
export class RedisStore implements CacheStore {
  readonly copies = true;

  /**
   * @param scope part of the name of each entry, so that a service with another base URL, wire format or model does not
   * find it
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
    const value: unknown = await this.run('read', client.getrangeBuffer(name, 0, MAX_ENTRY_BYTES));
    if (value === undefined || (Buffer.isBuffer(value) && value.length === 0)) return undefined;
    // Another server than Redis may stand behind the address, and send a null or a number.
    const entry = Buffer.isBuffer(value) ? decode(name, value) : undefined;
    if (entry === undefined) this.metrics.storeFailures.inc({ failure: 'entry' });
    return entry;
  }

  set(key: string, entry: CacheEntry): void {
    this.write(key, entry, this.keepMs);
  }

  update(key: string, entry: CacheEntry): void {
    this.write(key, entry, entry.storedAt + this.keepMs - Date.now(), 'XX');
  }

  delete(key: string): void {
    if (this.connection.ready) void this.run('write', this.connection.client.del(this.nameOf(key)));
  }

  /** @param condition `XX` for an entry that must not be stored anew */
  private write(key: string, entry: CacheEntry, leftMs: number, ...condition: ['XX'] | []): void {
    const { client, ready } = this.connection;
    const name = this.nameOf(key);
    const value = encode(name, entry);
    if (!ready || value.length > MAX_ENTRY_BYTES || leftMs < 1) return;
    void this.run('write', client.set(name, value, 'PX', leftMs, ...(condition as ['XX'])));
  }

  private run<T>(failure: StoreFailure, command: Promise<T>): Promise<T | undefined> {
    return command.catch(() => {
      this.metrics.storeFailures.inc({ failure });
      return undefined;
    });
  }

  /** The name of an entry is a digest, so that Redis shows no search term and no identifier. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }
}

/** The first line of a value: what is known of an entry, and the length of each of the bodies behind the line. */
interface Head extends Omit<CacheEntry, 'body'> {
  readonly etag: string;
  /** Of the text and of its gzip coding, which is 0 where no client has asked for it. */
  readonly lengths: readonly number[];
}

const NO_BYTES = Buffer.alloc(0);

/**
 * A value is a digest, a line of JSON, and the body as text and, where a client has asked for it, compressed. The digest
 * ties the line to the name of the entry. Where it differs, or where the lengths are others, the value was cut off or
 * stored by another program, and is not used.
 */
function encode(name: string, { body, ...facts }: CacheEntry): Buffer {
  const bodies = [Buffer.from(body.json), body.encoded ?? NO_BYTES];
  const head: Head = { ...facts, etag: body.etag, lengths: bodies.map(({ length }) => length) };
  const line = JSON.stringify(head);
  return Buffer.concat([Buffer.from(`${sealOf(name, line)} ${line}\n`), ...bodies]);
}

function decode(name: string, value: Buffer): CacheEntry | undefined {
  const end = value.indexOf('\n');
  const [, seal, line = ''] = /^([\w-]{43}) (.+)$/.exec(value.toString('latin1', 0, end)) ?? [];
  if (seal !== sealOf(name, line)) return undefined;
  const { etag, lengths, ...facts } = JSON.parse(line) as Head;
  const [jsonLength = 0, gzipLength = 0] = lengths;
  const json = end + 1;
  const gzip = json + jsonLength;
  if (gzip + gzipLength !== value.length) return undefined;
  // Copies, because a hit is held until its response is sent, longer than the value (D59).
  const stored = { etag, gzip: gzipLength > 0 ? copyOf(value.subarray(gzip)) : undefined };
  return { ...facts, body: new SharedBody(copyOf(value.subarray(json, gzip)), stored) };
}

function sealOf(name: string, line: string): string {
  return hash('sha256', `${name} ${line}`, 'base64url');
}
