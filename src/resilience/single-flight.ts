import type { DisconnectSignal } from '../common/disconnect-signal';
import { Cancellation } from './cancellation';
import { Deadline } from './deadline';
import { ClientDisconnectedError, UpstreamFailure } from './upstream-failure';

/** One caller that waits for a call in flight, until its own deadline or its own signal. */
interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** Ends its deadline and forgets its signal. */
  readonly release: () => void;
}

/** A call in flight and its waiters. */
export class InFlightCall {
  /** Cancelled when the last waiter withdraws, with its reason. */
  readonly cancellation = new Cancellation();
  private readonly waiters = new Set<Waiter>();
  private latestDeadline = 0;

  /** @param close lets no further waiter join */
  constructor(
    private readonly timeoutMs: number,
    private readonly close: (call: InFlightCall) => void,
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
    this.latestDeadline = performance.now() + this.timeoutMs;
    return new Promise<unknown>((resolve, reject) => {
      const withdraw = (reason: Error): void => {
        waiter.release();
        reject(reason);
        this.waiters.delete(waiter);
        if (this.waiters.size > 0) return;
        this.close(this);
        this.cancellation.cancel(reason);
      };
      const onDisconnect = {
        handleEvent(): void {
          withdraw(new ClientDisconnectedError());
        },
      };
      const deadline = new Deadline(this.timeoutMs, () => {
        withdraw(new UpstreamFailure('upstream-timeout', 'the deadline of the call passed'));
      });
      const release = (): void => {
        deadline.end();
        caller?.removeEventListener('abort', onDisconnect);
      };
      const waiter = { resolve, reject, release };
      this.waiters.add(waiter);
      caller?.addEventListener('abort', onDisconnect);
    }) as Promise<T>;
  }

  /** Settles all waiters. */
  settle(settleWaiter: (waiter: Waiter) => void): void {
    this.close(this);
    for (const waiter of this.waiters) {
      waiter.release();
      settleWaiter(waiter);
    }
    this.waiters.clear();
  }
}

/**
 * Single-flight: identical calls in flight share one. Each waiter has its own deadline and signal. The call is cancelled
 * when the last waiter withdraws. The outcome is not kept.
 */
export class SingleFlight {
  private readonly calls = new Map<string, InFlightCall>();

  /** @param timeoutMs the longest wait of each waiter */
  constructor(private readonly timeoutMs: number) {}

  /** The call in flight with the same key. */
  find(key: string): InFlightCall | undefined {
    return this.calls.get(key);
  }

  /**
   * Starts a call where {@link find} finds none, and joins it.
   *
   * @param key equal only where the results are
   * @throws ClientDisconnectedError; UpstreamFailure `upstream-timeout`; the error of `work`
   */
  start<T>(key: string, work: (call: InFlightCall) => Promise<T>, caller?: DisconnectSignal): Promise<T> {
    const call = new InFlightCall(this.timeoutMs, (ended) => {
      // A later call may have the same key.
      if (this.calls.get(key) === ended) this.calls.delete(key);
    });
    this.calls.set(key, call);
    const result = call.join<T>(caller);
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
    return result;
  }
}
