import { RollingCount } from './rolling-count';
import { UpstreamFailure } from './upstream-failure';

const MINIMUM_RESULTS = 20;
const FAILURE_RATIO = 0.5;
const MAX_OPEN_MS = 60_000;
/** Open periods differ by up to this share in both directions, so that many instances do not probe at the same time. */
const JITTER = 0.2;

export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * What the result of an attempt means for the health of the upstream: a failure, or `none`, which counts neither way.
 */
export type AttemptResult = 'success' | 'none' | UpstreamFailure;

interface Closed {
  readonly name: 'closed';
  readonly results: RollingCount;
  readonly failures: RollingCount;
}

interface Open {
  readonly name: 'open';
  /** The time from which on a probe is let through, unless the upstream has asked for a longer pause. */
  readonly until: number;
  /** How often the circuit has opened since it was last closed; each time doubles the open time. */
  readonly openings: number;
}

/** While a probe is under way. */
interface HalfOpen {
  readonly name: 'half-open';
  readonly openings: number;
}

/**
 * The permission that `acquire` gives to a call, and that the call returns to `settle` with its result: the state of
 * the circuit. Each change makes a new object, so that the result of a call from an earlier state is recognised.
 */
export type Permit = Closed | HalfOpen;

/**
 * Stops calls to an upstream that mostly fails. After the open time one call is the probe: its success closes the
 * circuit, its failure doubles the open time, and where its result counts neither way, the next call is the probe.
 * One failure that asks for a pause opens the circuit for that pause, which neither doubles the open time nor is
 * shortened by jitter (D21). `now` is the time in milliseconds of a monotonic clock.
 */
export class CircuitBreaker {
  private current: Permit | Open = closed();
  /** The end of the newest pause that the upstream has asked for (D21). */
  private pausedUntil = 0;
  /**
   * What is known of the newest failure, without the error itself, whose call stack would stay in memory. The error of
   * a call that the open circuit refuses says it, too, because its log line would show no cause otherwise.
   */
  private last: Pick<UpstreamFailure, 'what' | 'status'> | undefined;

  constructor(private readonly openMs: number) {}

  /**
   * The state for probes and metrics. A circuit whose open time has passed is half-open: the next call is its probe.
   * Without calls it would otherwise look like an outage that goes on.
   */
  stateAt(now: number): CircuitState {
    const { name } = this.current;
    return name === 'open' && this.canAcquire(now) ? 'half-open' : name;
  }

  canAcquire(now: number): boolean {
    const { current } = this;
    return current.name === 'closed' || (current.name === 'open' && now >= Math.max(current.until, this.pausedUntil));
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  throwIfRefusing(now: number): void {
    if (!this.canAcquire(now)) throw this.circuitOpen(now);
  }

  /**
   * For an attempt of several requests, before each: a pause that another call was asked for meanwhile holds for it,
   * too.
   *
   * @throws UpstreamFailure `circuit-open` during a pause
   */
  throwIfPaused(now: number): void {
    if (now < this.pausedUntil) throw this.circuitOpen(now);
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  acquire(now: number): Permit {
    this.throwIfRefusing(now);
    const { current } = this;
    if (current.name !== 'open') return current;
    // The open time has passed: this call is the probe.
    const probe: HalfOpen = { name: 'half-open', openings: current.openings };
    this.current = probe;
    return probe;
  }

  /**
   * Records the result of a call. It is ignored where the circuit has changed its state since `acquire` gave the
   * permit, but for a pause that it asks for: the upstream counts the calls that it gets, not the states of a circuit.
   */
  settle(permit: Permit, result: AttemptResult, now: number): void {
    const failure = result instanceof UpstreamFailure ? result : undefined;
    if (failure !== undefined) this.last = { what: failure.what, status: failure.status };
    const pauseMs = failure?.pauseMs;
    if (pauseMs !== undefined) this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
    if (permit === this.current) {
      if (permit.name === 'half-open') this.endProbe(permit, result, now);
      else if (result !== 'none') this.count(permit, failure, now);
    }
    // Without failures that have opened the circuit, the pause alone keeps it open.
    if (pauseMs !== undefined && this.current.name === 'closed') this.current = { name: 'open', until: 0, openings: 0 };
  }

  private count({ results, failures }: Closed, failure: UpstreamFailure | undefined, now: number): void {
    results.add(now);
    if (failure !== undefined) failures.add(now);
    const total = results.total(now);
    if (total >= MINIMUM_RESULTS && failures.total(now) >= FAILURE_RATIO * total) this.open(0, now);
  }

  private endProbe({ openings }: HalfOpen, result: AttemptResult, now: number): void {
    // A pause takes the place of the open time where no failures have opened the circuit.
    const isFailure = result instanceof UpstreamFailure && (result.pauseMs === undefined || openings > 0);
    // During a pause, which another call was asked for while the probe was made, the circuit stays open.
    if (result === 'success' && now >= this.pausedUntil) this.current = closed();
    else if (isFailure) this.open(openings, now);
    else this.current = { name: 'open', until: 0, openings };
  }

  private open(openings: number, now: number): void {
    const nominal = Math.min(MAX_OPEN_MS, this.openMs * 2 ** openings);
    const end = now + nominal * (1 + JITTER * (2 * Math.random() - 1));
    this.current = { name: 'open', until: end, openings: openings + 1 };
  }

  private circuitOpen(now: number): UpstreamFailure {
    const until = this.current.name === 'open' ? this.current.until : 0;
    const left = Math.max(until, this.pausedUntil) - now;
    const retryAfterMs = left > 0 ? left : undefined;
    const { what = '', status } = this.last ?? {};
    return new UpstreamFailure('circuit-open', `circuit open after: ${what}`, { retryAfterMs, status });
  }
}

function closed(): Closed {
  return { name: 'closed', results: new RollingCount(), failures: new RollingCount() };
}
