import { Logger } from '@nestjs/common';
import { hash } from 'node:crypto';
import { causeOf, type RedisConnection } from '../../../redis/redis-connection';
import type { Operation } from '../operation';
import { CircuitBreaker, type BreakerSettings, type CircuitState } from '../policy/circuit-breaker';
import { decodeEntry, encodeEntry, type CacheEntry } from './cache-entry';
import type { CacheObserver } from './cache-observer';

/** Larger entries would take too much of the time that a request waits at most. */
export const MAX_ENTRY_BYTES = 1_048_576;

const PREFIX = 'shipping-query-service:answer:';

/** One failure opens it unless as many reads succeeded: a miss is cheaper than a wait. */
const BREAKER: BreakerSettings = {
  windowMs: 10_000,
  minimumCalls: 1,
  failureRatio: 0.5,
  openMs: 1000,
  maxOpenMs: 30_000,
  jitter: 0.2,
  maxProbes: 1,
};

/**
 * The entries that replicas share. Nothing here throws or rejects: whatever Redis does, the worst is a read that finds
 * nothing after the time-out of the connection. After a failure a circuit keeps requests from Redis; what probes it
 * then is a read that nobody waits for.
 */
export class RedisStore {
  private readonly logger = new Logger(RedisStore.name);
  private readonly reads = this.circuit('reads');
  private readonly writes = this.circuit('writes');
  private readonly pending = new Map<string, Promise<CacheEntry | undefined>>();
  private lastCause = '';

  /** @param scope whatever decides what callers may see; entries of another scope are out of reach */
  constructor(
    private readonly connection: RedisConnection,
    private readonly scope: string,
    private readonly observer: Partial<CacheObserver> = {},
  ) {}

  /** Looks an entry up, once for all who ask at the same time; `undefined` where there is nothing to wait for. */
  read(operation: Operation, key: string): Promise<CacheEntry | undefined> | undefined {
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending;
    if (!this.connection.ready || !this.reads.admits(performance.now())) return undefined;
    const isProbe = this.reads.state !== 'closed';
    const reading = this.readEntry(operation, key);
    if (isProbe) return undefined;
    this.pending.set(key, reading);
    return reading;
  }

  /** @returns whether the entry is on its way; nobody waits for it to arrive */
  write(operation: Operation, key: string, entry: CacheEntry, keepMs: number): boolean {
    if (!this.connection.ready || !this.writes.admits(performance.now())) return false;
    const text = encodeEntry(operation, entry);
    if (Buffer.byteLength(text) > MAX_ENTRY_BYTES) return false;
    void this.guarded(this.writes, 'write', () => this.connection.client.set(this.nameOf(key), text, 'PX', keepMs));
    return true;
  }

  /** Forgets an entry, where Redis can be reached. */
  remove(key: string): void {
    if (!this.connection.ready || !this.writes.admits(performance.now())) return;
    void this.guarded(this.writes, 'write', () => this.connection.client.del(this.nameOf(key)));
  }

  close(): void {
    this.connection.close();
  }

  private async readEntry(operation: Operation, key: string): Promise<CacheEntry | undefined> {
    // Never more than an entry may hold, whatever somebody put there.
    const text = await this.guarded(this.reads, 'read', () =>
      this.connection.client.getrange(this.nameOf(key), 0, MAX_ENTRY_BYTES),
    );
    this.pending.delete(key);
    if (text === undefined || text === '') return undefined;
    const entry = decodeEntry(operation, text);
    if (entry === undefined) this.observer.storeFailed?.('entry');
    return entry;
  }

  /** Runs a command that the circuit admits; `undefined` where it fails. */
  private async guarded<T>(
    circuit: CircuitBreaker,
    kind: 'read' | 'write',
    command: () => Promise<T>,
  ): Promise<T | undefined> {
    const permit = circuit.acquire(performance.now());
    try {
      const result = await command();
      circuit.settle(permit, 'success', performance.now());
      return result;
    } catch (error) {
      this.lastCause = causeOf(error);
      this.observer.storeFailed?.(kind);
      // A lost connection keeps requests away by itself.
      circuit.settle(permit, this.connection.ready ? 'failure' : 'none', performance.now());
      return undefined;
    }
  }

  /** No search term or identifier stands in Redis as part of a key. */
  private nameOf(key: string): string {
    return PREFIX + hash('sha256', `${this.scope}\n${key}`, 'base64url');
  }

  private circuit(what: string): CircuitBreaker {
    let failing = false;
    const changed = (state: CircuitState): void => {
      if (state === 'half-open' || failing === (state === 'open')) return;
      failing = state === 'open';
      if (failing) this.logger.warn(`Redis ${what} fail and are left out for a while: ${this.lastCause}`);
      else this.logger.log(`Redis ${what} succeed again`);
    };
    return new CircuitBreaker(BREAKER, changed, Math.random);
  }
}
