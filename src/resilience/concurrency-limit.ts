import type { Cancellation } from './cancellation';
import { Deadline } from './deadline';
import { DrainRate } from './drain-rate';
import { UpstreamFailure } from './upstream-failure';

/** How many calls may be in flight, how many may queue, and for how many milliseconds. */
export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
  /** The longest wait while no slot is released. */
  readonly queueTimeoutMs: number;
  /** The longest wait at all: in a queue that moves. */
  readonly movingQueueTimeoutMs: number;
}

/** How often the queue looks for calls that wait in vain. */
const TICK_MS = 25;

interface Waiting {
  /** On the clock of `performance.now()`. */
  readonly since: number;
  readonly acquire: () => void;
  readonly refuse: (failure: UpstreamFailure) => void;
}

/**
 * A bulkhead: at most `maxConcurrent` slots are held; other calls wait in a queue, first in, first out. A burst that the
 * upstream can absorb waits for its turn; a queue that stands still, or moves too slowly, is refused quickly.
 */
export class ConcurrencyLimit {
  private held = 0;
  private readonly queue = new Set<Waiting>();
  private readonly rate: DrainRate;
  /** From the first call that waits until a tick finds the queue empty. */
  private measuring = false;
  private lastRelease = 0;

  constructor(private readonly settings: ConcurrencyLimitSettings) {
    this.rate = new DrainRate(settings.maxConcurrent);
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
   * @throws UpstreamFailure `saturated` where the queue is full, the wait took too long, or the rate of releases says
   *   that it would; the reason of the cancellation where that came first.
   */
  acquire(cancellation: Cancellation): Promise<void> | undefined {
    if (this.held < this.settings.maxConcurrent) {
      this.held += 1;
      return undefined;
    }
    if (this.queue.size >= this.settings.maxQueue) throw new UpstreamFailure('saturated', 'the queue of calls is full');
    if (!this.measuring) {
      this.measure();
    }
    const since = performance.now();
    if (this.comesTooLate(since, this.queue.size + 1, since)) throw tooSlow();
    return new Promise((resolve, reject) => {
      const call: Waiting = {
        since,
        acquire: () => {
          cancellation.listen(undefined);
          resolve();
        },
        refuse: (failure) => {
          this.queue.delete(call);
          cancellation.listen(undefined);
          reject(failure);
        },
      };
      this.queue.add(call);
      cancellation.listen((reason) => {
        this.queue.delete(call);
        reject(reason);
      });
    });
  }

  /** Releases a slot: the first call in the queue acquires it. */
  release(): void {
    const [next] = this.queue;
    if (this.measuring) {
      this.rate.release();
      this.lastRelease = performance.now();
    }
    if (next === undefined) {
      this.held -= 1;
    } else {
      this.queue.delete(next);
      next.acquire();
    }
  }

  private measure(): void {
    this.measuring = true;
    this.rate.start();
    this.scheduleTick();
  }

  private scheduleTick(): void {
    new Deadline(TICK_MS, () => {
      this.tick();
    });
  }

  private tick(): void {
    this.measuring = this.queue.size > 0;
    if (this.measuring) {
      this.rate.tick();
      this.refuseHopeless(performance.now());
      this.scheduleTick();
    }
  }

  private refuseHopeless(now: number): void {
    let position = 1;
    for (const call of this.queue) {
      if (this.standsStill(now, call.since)) {
        call.refuse(new UpstreamFailure('saturated', 'no slot was released in time'));
      } else if (this.comesTooLate(now, position, call.since)) {
        call.refuse(tooSlow());
      } else {
        position += 1;
      }
    }
  }

  /** Decided a tick ahead, so that no call waits longer than it may. */
  private standsStill(now: number, since: number): boolean {
    return now + TICK_MS > Math.max(since, this.lastRelease) + this.settings.queueTimeoutMs;
  }

  private comesTooLate(now: number, position: number, since: number): boolean {
    const ticks = Math.max(1, this.rate.ticksUntil(position));
    return now + ticks * TICK_MS > since + this.settings.movingQueueTimeoutMs;
  }
}

function tooSlow(): UpstreamFailure {
  return new UpstreamFailure('saturated', 'slots are released too slowly for the queue');
}
