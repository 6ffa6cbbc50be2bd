import { startDeadline, type Disconnect } from './deadline';
import { UpstreamFailure } from './upstream-failure';

const MAX_WAIT_MS = 1000;
/** The share of the slots that one operation may hold: a slow operation leaves the rest to the others (D60). */
const OPERATION_SHARE = 0.75;

export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
}

/** A call that waits for a slot. */
interface WaitingCall {
  /** Counts the calls that have waited: the smallest number has waited longest. */
  readonly number: number;
  readonly enter: () => void;
}

interface OperationSlots {
  held: number;
  /** A set keeps the order of insertion, and gives up a call from the middle in constant time. */
  readonly queue: Set<WaitingCall>;
}

/**
 * A bulkhead: calls without a slot wait, first in, first out. A waiting call of an operation that holds its whole share is
 * passed by calls of the others, so that it does not block them.
 */
export class ConcurrencyLimit {
  /** Held slots. */
  inFlight = 0;
  waiting = 0;
  private readonly operations = new Map<string, OperationSlots>();
  private readonly maxOfOperation: number;
  private queued = 0;

  constructor(private readonly settings: ConcurrencyLimitSettings) {
    this.maxOfOperation = Math.ceil(settings.maxConcurrent * OPERATION_SHARE);
  }

  /**
   * Acquires a slot: at once (`undefined`), or when the promise resolves, after a second at most.
   *
   * @throws UpstreamFailure `saturated` where the queue is full or the wait was too long; ClientDisconnectedError
   */
  acquire(name: string, leftMs: number, disconnect?: Disconnect): Promise<void> | undefined {
    const operation = this.slotsOf(name);
    if (this.hasRoom(operation)) {
      this.hold(operation);
      return undefined;
    }
    if (this.waiting >= this.settings.maxQueue) throw saturated('The queue of calls is full');
    return this.wait(operation, Math.min(MAX_WAIT_MS, leftMs), disconnect);
  }

  /** Hands the slot to the call that has waited longest, of those whose operation may hold one more. */
  release(name: string): void {
    this.slotsOf(name).held -= 1;
    this.inFlight -= 1;
    if (this.waiting === 0) return;
    let longest: WaitingCall | undefined;
    for (const operation of this.operations.values()) {
      if (operation.queue.size === 0 || !this.hasRoom(operation)) continue;
      const [first] = operation.queue;
      if (first !== undefined && (longest === undefined || first.number < longest.number)) longest = first;
    }
    longest?.enter();
  }

  private wait(operation: OperationSlots, maxMs: number, disconnect: Disconnect | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveQueue = (): void => {
        operation.queue.delete(call);
        this.waiting -= 1;
      };
      const fail = (error: Error): void => {
        leaveQueue();
        reject(error);
      };
      const expire = (): void => {
        fail(saturated('No slot was released in time'));
      };
      const endWait = startDeadline(maxMs, disconnect, expire, fail);
      const enter = (): void => {
        leaveQueue();
        endWait();
        this.hold(operation);
        resolve();
      };
      const call: WaitingCall = { number: this.queued++, enter };
      operation.queue.add(call);
      this.waiting += 1;
    });
  }

  private slotsOf(name: string): OperationSlots {
    let operation = this.operations.get(name);
    if (operation === undefined) {
      operation = { held: 0, queue: new Set() };
      this.operations.set(name, operation);
    }
    return operation;
  }

  private hasRoom({ held }: OperationSlots): boolean {
    return this.inFlight < this.settings.maxConcurrent && held < this.maxOfOperation;
  }

  private hold(operation: OperationSlots): void {
    operation.held += 1;
    this.inFlight += 1;
  }
}

/** Slots are released all the time, so that a client may try again after a second (D21). */
function saturated(message: string): UpstreamFailure {
  return new UpstreamFailure('saturated', message, { retryAfterMs: 1000 });
}
