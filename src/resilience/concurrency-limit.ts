import { startDeadline, type Disconnect } from './deadline';
import { UpstreamFailure } from './upstream-failure';

const MAX_WAIT_MS = 1000;
/** The share of the slots that one operation may hold: a slow operation leaves the rest to the others (D60). */
const OPERATION_SHARE = 0.75;

export interface ConcurrencyLimitSettings {
  readonly maxConcurrent: number;
  readonly maxQueue: number;
}

interface OperationSlots {
  held: number;
}

interface WaitingCall {
  readonly operation: OperationSlots;
  readonly acquireSlot: () => void;
}

/**
 * A bulkhead: calls without a slot wait, first in, first out. A waiting call of an operation that holds its whole share
 * is passed by calls of the others, so that it does not block them.
 */
export class ConcurrencyLimit {
  /** Number of slots that attempts hold. */
  inFlight = 0;
  private readonly operations = new Map<string, OperationSlots>();
  /** A set keeps the order of insertion, and gives up a call from its middle in constant time. */
  private readonly queue = new Set<WaitingCall>();
  private readonly maxOfOperation: number;

  constructor(private readonly settings: ConcurrencyLimitSettings) {
    this.maxOfOperation = Math.ceil(settings.maxConcurrent * OPERATION_SHARE);
  }

  get waiting(): number {
    return this.queue.size;
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
    if (this.waiting >= this.settings.maxQueue) throw saturated('the queue of calls is full');
    return this.wait(operation, Math.min(MAX_WAIT_MS, leftMs), disconnect);
  }

  /** Hands the slot to the call that has waited longest, of those whose operation may hold one more. */
  release(name: string): void {
    this.slotsOf(name).held -= 1;
    this.inFlight -= 1;
    for (const call of this.queue) {
      if (this.hasRoom(call.operation)) {
        call.acquireSlot();
        return;
      }
    }
  }

  private wait(operation: OperationSlots, maxMs: number, disconnect: Disconnect | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => {
        this.queue.delete(call);
        reject(error);
      };
      const expire = (): void => {
        fail(saturated('none was released in time'));
      };
      const endWait = startDeadline(maxMs, disconnect, expire, fail);
      const acquireSlot = (): void => {
        this.queue.delete(call);
        endWait();
        this.hold(operation);
        resolve();
      };
      const call: WaitingCall = { operation, acquireSlot };
      this.queue.add(call);
    });
  }

  private slotsOf(name: string): OperationSlots {
    const operation = this.operations.get(name) ?? { held: 0 };
    this.operations.set(name, operation);
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
function saturated(cause: string): UpstreamFailure {
  return new UpstreamFailure('saturated', `no slot: ${cause}`, { retryAfterMs: 1000 });
}
