import type { DepartureSignal } from '../../model/call-context';
import { ExternalSystemFailure } from '../../model/external-system-failure';
import { CallerLeft } from './caller-left';
import { Cancellation } from './cancellation';
import { type Deadline, Deadlines } from './deadlines';
import { FlightTable } from './flight-table';
import { type Standing, WaitingList } from './waiting-list';

/** One caller waiting for a flight, until its own deadline or its own signal. */
class Waiter {
  /** Among those who wait for the flight. */
  standing: Standing<Waiter> | undefined;
  readonly deadline: Deadline;

  constructor(
    private readonly flight: Flight,
    private readonly caller: DepartureSignal | undefined,
    private readonly deadlines: Deadlines,
    readonly resolve: (value: unknown) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    this.deadline = deadlines.start(() => {
      this.leave(new ExternalSystemFailure('upstream-timeout', 'the deadline of the call passed'));
    });
    caller?.addEventListener('abort', this);
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.leave(new CallerLeft());
  }

  release(): void {
    this.deadlines.end(this.deadline);
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
  next: Flight | undefined;
  private readonly waiters = new WaitingList<Waiter>();
  private latestDeadline = 0;

  /** @param key `undefined` where nobody else may join. */
  constructor(
    readonly key: string | undefined,
    private readonly deadlines: Deadlines,
    private readonly flights: SingleFlight,
  ) {}

  /** When the last of those who wait now gives up, on the clock of `performance.now()`. */
  get deadline(): number {
    return this.latestDeadline;
  }

  join(caller: DepartureSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(this, caller, this.deadlines, resolve, reject);
      waiter.standing = this.waiters.push(waiter);
      this.latestDeadline = waiter.deadline.value.at;
    });
  }

  left({ standing }: Waiter, reason: Error): void {
    if (standing !== undefined) this.waiters.remove(standing);
    if (this.waiters.size === 0) {
      this.flights.close(this);
      this.cancellation.cancel(reason);
    }
  }

  /** Hands the outcome to all who still wait. */
  settle(hand: (waiter: Waiter) => void): void {
    this.flights.close(this);
    for (let waiter = this.waiters.shift(); waiter !== undefined; waiter = this.waiters.shift()) {
      waiter.release();
      hand(waiter);
    }
  }
}

/**
 * Lets identical calls in flight share one. Each waiter keeps its own deadline and signal; the call is cancelled when
 * the last one leaves; its outcome belongs to those who wait at that moment and is remembered for nobody else.
 */
export class SingleFlight {
  private readonly flights = new FlightTable<Flight>();
  private readonly deadlines: Deadlines;

  /** @param timeoutMs how long each waiter waits at most. */
  constructor(timeoutMs: number) {
    this.deadlines = new Deadlines(timeoutMs);
  }

  /** Whether a call with this key would join one in flight. */
  has(key: string | undefined): boolean {
    return this.flights.get(key) !== undefined;
  }

  /**
   * Joins the call in flight with the same key, or starts one.
   *
   * @param key equal only where answers are; `undefined` shares with nobody.
   * @throws CallerLeft; ExternalSystemFailure `upstream-timeout`; whatever `work` failed with.
   */
  run<T>(key: string | undefined, work: (flight: Flight) => Promise<T>, caller?: DepartureSignal): Promise<T> {
    const shared = this.flights.get(key);
    if (shared !== undefined) return shared.join(caller) as Promise<T>;
    const flight = new Flight(key, this.deadlines, this);
    this.flights.add(flight);
    const answer = flight.join(caller) as Promise<T>;
    this.start(flight, work);
    return answer;
  }

  /** Nobody joins this flight any more. */
  close(flight: Flight): void {
    this.flights.remove(flight);
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
