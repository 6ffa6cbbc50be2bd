import type { DisconnectSignal } from '../common/disconnect-signal';
import { Cancellation } from './cancellation';
import { ClientDisconnectedError } from './client-disconnected.error';
import { type Deadline, Deadlines } from './deadlines';
import { InFlightCallMap } from './in-flight-calls';
import { LinkedQueue, type QueueNode } from './linked-queue';
import { UpstreamFailure } from './upstream-failure';

/** One caller that waits for a call in flight, until its own deadline or its own signal. */
class Waiter {
  /** Its node in the queue of waiters. */
  node: QueueNode<Waiter> | undefined;
  readonly deadline: Deadline;

  constructor(
    private readonly call: InFlightCall,
    private readonly caller: DisconnectSignal | undefined,
    private readonly deadlines: Deadlines,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.deadline = deadlines.start(() => {
      this.withdraw(new UpstreamFailure('upstream-timeout', 'the deadline of the call passed'));
    });
    caller?.addEventListener('abort', this);
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.withdraw(new ClientDisconnectedError());
  }

  release(): void {
    this.deadlines.end(this.deadline);
    this.caller?.removeEventListener('abort', this);
  }

  private withdraw(reason: Error): void {
    this.release();
    this.reject(reason);
    this.call.remove(this, reason);
  }
}

/** A call in flight and its waiters. */
export class InFlightCall {
  /** Cancelled when the last waiter withdraws, with its reason. */
  readonly cancellation = new Cancellation();
  next: InFlightCall | undefined;
  bucket = 0;
  private readonly waiters = new LinkedQueue<Waiter>();
  private latestDeadline = 0;

  /** @param key `undefined` where no other caller may join */
  constructor(
    readonly key: string | undefined,
    private readonly deadlines: Deadlines,
    private readonly calls: SingleFlight,
  ) {}

  /** The latest deadline of all waiters so far, on the clock of `performance.now()`. */
  get deadline(): number {
    return this.latestDeadline;
  }

  /**
   * Adds a waiter.
   *
   * @throws ClientDisconnectedError; UpstreamFailure `upstream-timeout`; the error of the call
   */
  join<T>(caller: DisconnectSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(this, caller, this.deadlines, resolve as (value: unknown) => void, reject);
      waiter.node = this.waiters.push(waiter);
      this.latestDeadline = waiter.deadline.value.at;
    });
  }

  /** Removes a waiter; without waiters the call is cancelled. */
  remove({ node }: Waiter, reason: Error): void {
    if (node !== undefined) this.waiters.remove(node);
    if (this.waiters.size === 0) {
      this.calls.close(this);
      this.cancellation.cancel(reason);
    }
  }

  /** Settles all waiters. */
  settle(settleWaiter: (waiter: Waiter) => void): void {
    this.calls.close(this);
    for (let waiter = this.waiters.shift(); waiter !== undefined; waiter = this.waiters.shift()) {
      waiter.release();
      settleWaiter(waiter);
    }
  }
}

/**
 * Single-flight: identical calls in flight share one. Each waiter has its own deadline and signal. The call is cancelled
 * when the last waiter withdraws. The outcome is not kept.
 */
export class SingleFlight {
  private readonly calls = new InFlightCallMap<InFlightCall>();
  private readonly deadlines: Deadlines;

  /** @param timeoutMs the longest wait of each waiter */
  constructor(timeoutMs: number) {
    this.deadlines = new Deadlines(timeoutMs);
  }

  /** The call in flight with the same key. */
  find(key: string | undefined): InFlightCall | undefined {
    return this.calls.get(key);
  }

  /**
   * Starts a call where {@link find} finds none, and joins it.
   *
   * @param key equal only where the results are; `undefined` does not share
   * @throws ClientDisconnectedError; UpstreamFailure `upstream-timeout`; the error of `work`
   */
  start<T>(key: string | undefined, work: (call: InFlightCall) => Promise<T>, caller?: DisconnectSignal): Promise<T> {
    const call = new InFlightCall(key, this.deadlines, this);
    this.calls.add(call);
    const result = call.join<T>(caller);
    this.settleWith(call, work);
    return result;
  }

  /** Later calls with the same key do not join this one. */
  close(call: InFlightCall): void {
    this.calls.remove(call);
  }

  private settleWith(call: InFlightCall, work: (call: InFlightCall) => Promise<unknown>): void {
    work(call).then(
      (value) => {
        call.settle((waiter) => {
          waiter.resolve(value);
        });
      },
      (error: unknown) => {
        call.settle((waiter) => {
          waiter.reject(error);
        });
      },
    );
  }
}
