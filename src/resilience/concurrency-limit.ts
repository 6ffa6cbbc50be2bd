import type { AbortEmitter } from '../common/abort-emitter';
import { startDeadline } from './deadline';
import { ClientDisconnectedError, UpstreamFailure } from './upstream-failure';

/** How many calls may be in flight, and how many may wait. */
export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
}

/** A bulkhead: at most `maxConcurrent` slots are held; other calls wait for one, first in, first out. */
export class ConcurrencyLimit {
  private held = 0;
  private readonly queue = new Set<() => void>();

  constructor(private readonly settings: ConcurrencyLimitSettings) {}

  get inFlight(): number {
    return this.held;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Acquires a slot: at once (`undefined`), or when the returned promise resolves. Each acquired slot must be released by
   * {@link release}.
   *
   * @param waitMs the longest wait
   * @throws UpstreamFailure `saturated` where the queue is full or the wait was too long; ClientDisconnectedError
   */
  acquire(waitMs: number, client?: AbortEmitter): Promise<void> | undefined {
    if (this.held < this.settings.maxConcurrent) {
      this.held += 1;
      return undefined;
    }
    if (this.queue.size >= this.settings.maxQueue) throw saturated('The queue of calls is full');
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.queue.delete(enter);
        endDeadline();
        client?.off('abort', onDisconnect);
      };
      const enter = (): void => {
        leave();
        resolve();
      };
      const onDisconnect = (): void => {
        leave();
        reject(new ClientDisconnectedError());
      };
      const endDeadline = startDeadline(waitMs, () => {
        leave();
        reject(saturated('No slot was released in time'));
      });
      client?.on('abort', onDisconnect);
      this.queue.add(enter);
    });
  }

  /** Releases a slot: the first call in the queue acquires it. */
  release(): void {
    const [next] = this.queue;
    if (next === undefined) this.held -= 1;
    else next();
  }
}

function saturated(message: string): UpstreamFailure {
  return new UpstreamFailure('saturated', message);
}
