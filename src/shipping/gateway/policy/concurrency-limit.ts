import { ExternalSystemFailure } from '../../model/external-system-failure';
import type { Cancellation } from './cancellation';
import { Deadlines } from './deadlines';
import { WaitingList } from './waiting-list';

export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
  readonly queueTimeoutMs: number;
}

/** At most `maxConcurrent` holders of a place; the rest wait in a short queue, first come first served. */
export class ConcurrencyLimit {
  private taken = 0;
  private readonly queue = new WaitingList<() => void>();
  private readonly deadlines: Deadlines;

  constructor(private readonly settings: ConcurrencyLimitSettings) {
    this.deadlines = new Deadlines(settings.queueTimeoutMs);
  }

  get inFlight(): number {
    return this.taken;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Takes a place: at once (`undefined`), or by a promise that resolves when it is the caller's turn. Who was given a
   * place must {@link leave}, also if the call was cancelled in the meantime.
   *
   * @throws ExternalSystemFailure `saturated` when the queue is full or the wait took too long; the cancellation's
   *   reason when that came first.
   */
  enter(cancellation: Cancellation): Promise<void> | undefined {
    if (this.taken < this.settings.maxConcurrent) {
      this.taken += 1;
      return undefined;
    }
    if (this.queue.size >= this.settings.maxQueue) {
      throw new ExternalSystemFailure('saturated', 'too many calls are waiting');
    }
    return new Promise((resolve, reject) => {
      const place = this.queue.push(() => {
        this.deadlines.end(deadline);
        cancellation.listen(undefined);
        resolve();
      });
      const deadline = this.deadlines.start(() => {
        this.queue.remove(place);
        cancellation.listen(undefined);
        reject(new ExternalSystemFailure('saturated', 'no place came free in time'));
      });
      cancellation.listen((reason) => {
        this.queue.remove(place);
        this.deadlines.end(deadline);
        reject(reason);
      });
    });
  }

  /** Gives a place back: to the first in the queue, if there is one. */
  leave(): void {
    const next = this.queue.shift();
    if (next === undefined) {
      this.taken -= 1;
    } else {
      next();
    }
  }
}
