import { startDeadline, type AbortEmitter } from './deadline';
import { UpstreamFailure } from './upstream-failure';

const MAX_WAIT_MS = 1000;

export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
}

/** A bulkhead: calls without a slot wait, first in, first out. */
export class ConcurrencyLimit {
  /** Held slots. */
  inFlight = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly settings: ConcurrencyLimitSettings) {}

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Acquires a slot: at once (`undefined`), or when the promise resolves, after a second at most.
   *
   * @throws UpstreamFailure `saturated` where the queue is full or the wait was too long; ClientDisconnectedError
   */
  acquire(leftMs: number, client?: AbortEmitter): Promise<void> | undefined {
    if (this.inFlight < this.settings.maxConcurrent) {
      this.inFlight += 1;
      return undefined;
    }
    if (this.queue.size >= this.settings.maxQueue) throw new UpstreamFailure('saturated', 'The queue of calls is full');
    return new Promise((resolve, reject) => {
      const leave = (error: Error): void => {
        this.queue.delete(enter);
        reject(error);
      };
      const expire = (): void => {
        leave(new UpstreamFailure('saturated', 'No slot was released in time'));
      };
      const endWait = startDeadline(Math.min(MAX_WAIT_MS, leftMs), client, expire, leave);
      const enter = (): void => {
        this.queue.delete(enter);
        endWait();
        resolve();
      };
      this.queue.add(enter);
    });
  }

  /** Hands a slot to the first call in the queue, if there is one. */
  release(): void {
    const [next] = this.queue;
    if (next === undefined) this.inFlight -= 1;
    else next();
  }
}
