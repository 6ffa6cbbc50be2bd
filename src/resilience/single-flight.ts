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
  private readonly waiters = new LinkedQueue<Waiter>();
  private latestDeadline = 0;

  /** @param key `undefined` where no other caller may join */
  constructor(
    readonly key: string | undefined,
    private readonly deadlines: Deadlines,
    private readonly calls: SingleFlight,
  ) {}

  /** The latest deadline of the current waiters, on the clock of `performance.now()`. */
  get deadline(): number {
    return this.latestDeadline;
  }

  join(caller: DisconnectSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(this, caller, this.deadlines, resolve, reject);
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

  /** Whether a call with this key would join a call in flight. */
  has(key: string | undefined): boolean {
    return this.calls.get(key) !== undefined;
  }

  /**
   * Joins the call in flight with the same key, or starts one.
   *
   * @param key equal only where the results are; `undefined` does not share
   * @throws ClientDisconnectedError; UpstreamFailure `upstream-timeout`; the error of `work`
   */
  run<T>(key: string | undefined, work: (call: InFlightCall) => Promise<T>, caller?: DisconnectSignal): Promise<T> {
    const shared = this.calls.get(key);
    if (shared !== undefined) return shared.join(caller) as Promise<T>;
    const call = new InFlightCall(key, this.deadlines, this);
    this.calls.add(call);
    const result = call.join(caller) as Promise<T>;
    this.start(call, work);
    return result;
  }

  /** Later calls with the same key do not join this one. */
  close(call: InFlightCall): void {
    this.calls.remove(call);
  }

  private start(call: InFlightCall, work: (call: InFlightCall) => Promise<unknown>): void {
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
