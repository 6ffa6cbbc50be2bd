import { type Cause, printCauses } from '../common/errors';
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

/**
 * The state of a circuit, and the permission that `acquire` gives to a call, which returns it to `settle` with its
 * result. Each change makes a new object, so that the result of a call from an earlier state is recognised.
 */
export interface Permit {
  readonly name: CircuitState;
  /** The time from which on an open circuit lets a probe through. */
  readonly until: number;
  /** How often the circuit has opened since it was last closed; each time doubles the open time. */
  readonly openings: number;
}

const CLOSED: Permit = { name: 'closed', until: 0, openings: 0 };

/**
 * Stops calls to an upstream that mostly fails. After the open time one call is the probe: its success closes the
 * circuit, its failure doubles the open time, and where its result counts neither way, the next call is the probe.
 * One failure that asks for a pause opens the circuit for that pause, which neither doubles the open time nor is
 * shortened by jitter (D21). `now` is the time in milliseconds of a monotonic clock.
 */
export class CircuitBreaker {
  private current: Permit = CLOSED;
  private results = new RollingCount();
  private failures = new RollingCount();
  /**
   * The causes of the newest failure. The error of a call that the open circuit refuses contains them, because its log
   * line would show no cause otherwise.
   */
  private lastCauses: readonly Cause[] = [];

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
    const { name, until } = this.current;
    return name === 'closed' || (name === 'open' && now >= until);
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  throwIfRefusing(now: number): void {
    if (!this.canAcquire(now)) throw this.circuitOpen(now);
  }

  /**
   * For an attempt of several requests, before each: a pause that another call was asked for meanwhile holds for it, too.
   *
   * @throws UpstreamFailure `circuit-open` while the circuit is open
   */
  throwIfPaused(now: number): void {
    const { name, until } = this.current;
    if (name === 'open' && now < until) throw this.circuitOpen(now);
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  acquire(now: number): Permit {
    this.throwIfRefusing(now);
    // Where the open time has passed, this call is the probe.
    if (this.current.name === 'open') this.current = { ...this.current, name: 'half-open' };
    return this.current;
  }

  /**
   * Records the result of a call. It is ignored where the circuit has changed its state since `acquire` gave the
   * permit, but for a pause that it asks for: the upstream counts the calls that it gets, not the states of a circuit.
   */
  settle(permit: Permit, result: AttemptResult, now: number): void {
    const failure = result instanceof UpstreamFailure ? result : undefined;
    if (failure !== undefined) this.lastCauses = failure.causes;
    if (permit === this.current) {
      if (permit.name === 'half-open') this.endProbe(result, now);
      else if (result !== 'none') this.count(failure, now);
    }
    if (failure?.pauseMs !== undefined) this.openUntil(now + failure.pauseMs);
  }

  private count(failure: UpstreamFailure | undefined, now: number): void {
    this.results.add(now);
    if (failure !== undefined) this.failures.add(now);
    const total = this.results.total(now);
    if (total >= MINIMUM_RESULTS && this.failures.total(now) >= FAILURE_RATIO * total) this.open(now);
  }

  private endProbe(result: AttemptResult, now: number): void {
    if (result === 'success') this.close();
    else if (result === 'none') this.openUntil(now);
    // A pause takes the place of the open time where no failures have opened the circuit.
    else if (result.pauseMs === undefined || this.current.openings > 0) this.open(now);
  }

  private close(): void {
    this.current = { ...CLOSED };
    this.results = new RollingCount();
    this.failures = new RollingCount();
  }

  private open(now: number): void {
    const { openings } = this.current;
    const nominal = Math.min(MAX_OPEN_MS, this.openMs * 2 ** openings);
    const until = now + nominal * (1 + JITTER * (2 * Math.random() - 1));
    this.current = { name: 'open', until, openings: openings + 1 };
  }

  /** Also ends a probe that is under way, and never shortens an open time. */
  private openUntil(time: number): void {
    const { until, openings } = this.current;
    this.current = { name: 'open', until: Math.max(until, time), openings };
  }

  private circuitOpen(now: number): UpstreamFailure {
    const { name, until } = this.current;
    const retryAfterMs = name === 'open' ? until - now : undefined;
    return new UpstreamFailure('circuit-open', `circuit open after: ${printCauses(this.lastCauses)}`, { retryAfterMs });
  }
}
