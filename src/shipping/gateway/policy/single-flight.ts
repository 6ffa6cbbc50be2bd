import type { DepartureSignal } from '../../model/call-context';
import { ExternalSystemFailure } from '../../model/external-system-failure';
import { CallerLeft } from './caller-left';
import { Cancellation } from './cancellation';

/** One caller waiting for a flight, until its own deadline or its own signal. */
class Waiter {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly flight: Flight,
    private readonly caller: DepartureSignal | undefined,
    timeoutMs: number,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.timer = setTimeout(() => {
      this.leave(new ExternalSystemFailure('upstream-timeout', 'the deadline of the call passed'));
    }, timeoutMs);
    caller?.addEventListener('abort', this);
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.leave(new CallerLeft());
  }

  release(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this);
  }

  private leave(reason: Error): void {
    this.release();
    this.reject(reason);
    this.flight.left(this, reason);
  }
}

/** A call in flight, and who waits for it. */
export class Flight {
  /** Cancelled when the last waiter leaves, with the reason it left for. */
  readonly cancellation = new Cancellation();
  private readonly waiters = new Set<Waiter>();
  private latestDeadline = 0;

  /** @param ended called when the flight must not be joined any more: settled, or left by its last waiter. */
  constructor(
    private readonly timeoutMs: number,
    private readonly ended: () => void,
  ) {}

  /** When the last of those who wait now gives up, on the clock of `performance.now()`. */
  get deadline(): number {
    return this.latestDeadline;
  }

  join(caller: DepartureSignal | undefined): Promise<unknown> {
    this.latestDeadline = performance.now() + this.timeoutMs;
    return new Promise((resolve, reject) => {
      this.waiters.add(new Waiter(this, caller, this.timeoutMs, resolve, reject));
    });
  }

  left(waiter: Waiter, reason: Error): void {
    this.waiters.delete(waiter);
    if (this.waiters.size === 0) {
      this.ended();
      this.cancellation.cancel(reason);
    }
  }

  /**
   * Hands the outcome to all who still wait, and forgets them: a map that is written to often leaves old tables behind,
   * through which the collector takes whatever its entries still hold for alive.
   */
  settle(hand: (waiter: Waiter) => void): void {
    this.ended();
    for (const waiter of this.waiters) {
      waiter.release();
      hand(waiter);
    }
    this.waiters.clear();
  }
}

/**
 * Lets identical calls in flight share one. Each waiter keeps its own deadline and signal; the call is cancelled when
 * the last one leaves; its outcome belongs to those who wait at that moment and is remembered for nobody else.
 */
export class SingleFlight {
  private readonly flights = new Map<string | undefined, Flight>();

  /** @param timeoutMs how long each waiter waits at most. */
  constructor(private readonly timeoutMs: number) {}

  /** Whether a call with this key would join one in flight. */
  has(key: string | undefined): boolean {
    return this.flights.has(key);
  }

  /**
   * Joins the call in flight with the same key, or starts one.
   *
   * @param key equal only where answers are; `undefined` shares with nobody.
   * @throws CallerLeft; ExternalSystemFailure `upstream-timeout`; whatever `work` failed with.
   */
  run<T>(key: string | undefined, work: (flight: Flight) => Promise<T>, caller?: DepartureSignal): Promise<T> {
    const shared = this.flights.get(key);
    if (shared !== undefined) {
      return shared.join(caller) as Promise<T>;
    }
    const flight = new Flight(this.timeoutMs, () => {
      if (this.flights.get(key) === flight) {
        this.flights.delete(key);
      }
    });
    if (key !== undefined) {
      this.flights.set(key, flight);
    }
    const answer = flight.join(caller) as Promise<T>;
    this.start(flight, work);
    return answer;
  }

  private start(flight: Flight, work: (flight: Flight) => Promise<unknown>): void {
    work(flight).then(
      (value) => {
        flight.settle((waiter) => {
          waiter.resolve(value);
        });
      },
      (error: unknown) => {
        flight.settle((waiter) => {
          waiter.reject(error);
        });
      },
    );
  }
}
