import { SharedBody } from '../../../http/bodies/shared-body';
import { isClientError, UpstreamFailure } from '../../../resilience/upstream-failure';
import { COMPLETE, type QueryResult } from '../../model/query-result';
import type { UpstreamResponse } from '../protocol/shipping-protocol';
import { ageOf, type CacheStore } from './cache-entry';

/**
 * The parts of lists that one call reads, and those that other calls have read within `CACHE_TTL_MS` (D75). A system
 * whose lists have a cursor and no pages is read from its beginning for each page; with the parts of the page before,
 * the next page costs no further requests. Parts are in the store of the cache, within its bounds.
 */
export class PartsOfLists {
  /** The parts that were read, as JSON text: a protocol may change the parsed response while it reads it. */
  private readonly received: { readonly key: string; readonly text: string; readonly receivedAt: number }[] = [];
  /** How many of them the protocol has read, because it has requested another part since. */
  private read = 0;
  /** The keys of the stored parts that the call has used. */
  private readonly found: string[] = [];
  /** When the oldest part that the call has used was received, in milliseconds since 1970. */
  private oldestAt = Infinity;

  /** @param forwarded the headers of the client that are sent on: clients with others must not share parts */
  constructor(
    private readonly store: CacheStore,
    private readonly ttlMs: number,
    private readonly forwarded: Readonly<Record<string, string>> | undefined,
  ) {}

  /**
   * Makes the call, and stores the parts that it has read; of a call that fails, not the last one where that may be why.
   * The parts of a result that is not complete are removed, so that they are read again.
   *
   * @returns its result, with the time when the oldest part was received
   */
  async during<Body>(call: () => Promise<QueryResult<Body>>): Promise<QueryResult<Body> & { receivedAt: number }> {
    try {
      const result = await call();
      if (result.completeness.level === 'complete') this.keep(this.received);
      else this.forget();
      return { ...result, receivedAt: Math.min(this.oldestAt, Date.now()) };
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      // The cursor of a stored part may have expired, so that the request of the next part was refused.
      if (isClientError(error.status ?? 0)) this.forget();
      this.keep(this.received.slice(0, this.read));
      throw error;
    }
  }

  /** The last part may be why the attempt before failed: it is not stored, and requested again. */
  beginAttempt(): void {
    this.received.splice(this.read);
  }

  /** Finds a stored part before it is requested. */
  async find(path: string): Promise<UpstreamResponse | undefined> {
    this.read = this.received.length;
    const key = this.keyOf(path);
    const entry = await this.store.get(key);
    if (entry === undefined || ageOf(entry) >= this.ttlMs) return undefined;
    this.found.push(key);
    this.oldestAt = Math.min(this.oldestAt, entry.storedAt);
    return JSON.parse(entry.body.json.toString()) as UpstreamResponse;
  }

  add(path: string, { status, headers, data }: UpstreamResponse): void {
    const receivedAt = Date.now();
    this.oldestAt = Math.min(this.oldestAt, receivedAt);
    this.received.push({ key: this.keyOf(path), text: JSON.stringify({ status, headers, data }), receivedAt });
  }

  /** Removes the stored parts that the call has used. */
  private forget(): void {
    for (const key of this.found) this.store.delete(key);
  }

  private keep(parts: typeof this.received): void {
    if (this.ttlMs === 0) return;
    for (const { key, text, receivedAt } of parts) {
      this.store.set(key, { body: SharedBody.of(text), completeness: COMPLETE, storedAt: receivedAt });
    }
  }

  private keyOf(path: string): string {
    return `part ${JSON.stringify([path, this.forwarded])}`;
  }
}
