import type { Settings } from '../config/settings';
import { type Signal, startDeadline } from './deadline';
import { UpstreamFailure } from './upstream-failure';

const MAX_WAIT_MS = 1000;
/**
 * The share of the slots for calls in flight that one operation may hold: a slow operation leaves the rest to the
 * others (D60).
 */
const OPERATION_SHARE = 0.75;

/**
 * A bulkhead: calls without a slot wait, first in, first out. A waiting call of an operation that holds its whole share
 * is passed by calls of the others, so that it does not block them.
 */
export class ConcurrencyLimit {
  /** Number of slots that attempts hold. */
  inFlight = 0;
  /** Number of slots that the attempts of each operation hold. */
  private readonly held = new Map<string, number>();
  /** The waiting calls. A set keeps them in the order of their arrival, and removes any of them in constant time. */
  readonly queue = new Set<{ readonly operation: string; readonly useSlot: () => void }>();

  constructor(private readonly settings: Pick<Settings['external'], 'maxConcurrent' | 'maxQueue'>) {}

  /**
   * Acquires a slot: at once (`undefined`), or when the promise resolves. The wait ends after a second.
   *
   * @throws UpstreamFailure `saturated` where the queue is full or the wait was too long; the reason of the signal
   * where it is aborted
   */
  acquire(operation: string, signal: Signal): Promise<void> | undefined {
    if (this.tryHold(operation)) return undefined;
    if (this.queue.size >= this.settings.maxQueue) throw saturated('the queue of calls is full');
    return new Promise((resolve, reject) => {
      const endWait = startDeadline(MAX_WAIT_MS, signal, (passed) => {
        this.queue.delete(call);
        reject(passed ? saturated('none was released in time') : signal.reason);
      });
      const useSlot = (): void => {
        endWait();
        resolve();
      };
      const call = { operation, useSlot };
      this.queue.add(call);
    });
  }

  /** Hands the slot to the call that has waited longest, of those whose operation may hold one more. */
  release(operation: string): void {
    this.inFlight -= 1;
    this.held.set(operation, (this.held.get(operation) ?? 0) - 1);
    for (const call of this.queue) {
      if (this.tryHold(call.operation)) {
        this.queue.delete(call);
        call.useSlot();
        return;
      }
    }
  }

  private tryHold(operation: string): boolean {
    const { maxConcurrent } = this.settings;
    const held = this.held.get(operation) ?? 0;
    if (this.inFlight >= maxConcurrent || held >= Math.ceil(maxConcurrent * OPERATION_SHARE)) return false;
    this.inFlight += 1;
    this.held.set(operation, held + 1);
    return true;
  }
}

/**
 * Nothing predicts when a slot is free. A call waits for one second at most (D60), so that after a second all that were
 * waiting have a slot or were refused: `Retry-After` is 1 (D21).
 */
function saturated(cause: string): UpstreamFailure {
  return new UpstreamFailure('saturated', `no slot: ${cause}`, { retryAfterMs: 1000 });
}
