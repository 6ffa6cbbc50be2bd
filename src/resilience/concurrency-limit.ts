import type { Cancellation } from './cancellation';
import { Deadlines } from './deadlines';
import { LinkedQueue } from './linked-queue';
import { UpstreamFailure } from './upstream-failure';

/** How many calls may be in flight, how many may queue, and for how many milliseconds. */
export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
  readonly queueTimeoutMs: number;
}

/** A bulkhead: at most `maxConcurrent` slots are held; other calls wait in a short queue, first in, first out. */
export class ConcurrencyLimit {
  private held = 0;
  private readonly queue = new LinkedQueue<() => void>();
  private readonly deadlines: Deadlines;

  constructor(private readonly settings: ConcurrencyLimitSettings) {
    this.deadlines = new Deadlines(settings.queueTimeoutMs);
  }

  get inFlight(): number {
    return this.held;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Acquires a slot: at once (`undefined`), or when the returned promise resolves. Each acquired slot must be released
   * by {@link release}, also where the call was cancelled in the meantime.
   *
   * @throws UpstreamFailure `saturated` where the queue is full or the wait took too long; the reason of the cancellation
   *   where that came first.
   */
  acquire(cancellation: Cancellation): Promise<void> | undefined {
    if (this.held < this.settings.maxConcurrent) {
      this.held += 1;
      return undefined;
    }
    if (this.queue.size >= this.settings.maxQueue) {
      throw new UpstreamFailure('saturated', 'the queue of calls is full');
    }
    return new Promise((resolve, reject) => {
      const node = this.queue.push(() => {
        this.deadlines.end(deadline);
        cancellation.listen(undefined);
        resolve();
      });
      const deadline = this.deadlines.start(() => {
        this.queue.remove(node);
        cancellation.listen(undefined);
        reject(new UpstreamFailure('saturated', 'no slot was released in time'));
      });
      cancellation.listen((reason) => {
        this.queue.remove(node);
        this.deadlines.end(deadline);
        reject(reason);
      });
    });
  }

  /** Releases a slot: the first call in the queue acquires it. */
  release(): void {
    const next = this.queue.shift();
    if (next === undefined) {
      this.held -= 1;
    } else {
      next();
    }
  }
}
