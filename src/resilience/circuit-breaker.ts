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
 * The number of the state in which the circuit let a call through: the call returns it to `settle` with its result, so
 * that the result of a call from an earlier state is recognised.
 */
export type Permit = number;

/**
 * Stops calls to an upstream that mostly fails. After the open time one call is the probe: its success closes the
 * circuit, its failure doubles the open time, and where its result counts neither way, the next call is the probe.
 * One failure that asks for a pause opens the circuit for that pause, which neither doubles the open time nor is
 * shortened by jitter (D21). `now` is the time in milliseconds of a monotonic clock.
 */
export class CircuitBreaker {
  /** The circuit is half-open while a probe is under way. */
  private state: CircuitState = 'closed';
  private permit: Permit = 0;
  private results = new RollingCount();
  private failures = new RollingCount();
  /** How often the circuit has opened since it was last closed; each time doubles the open time. */
  private openings = 0;
  /**
   * The time from which on a probe is let through, unless the upstream has asked for a longer pause. It has passed where
   * only a pause keeps the circuit open.
   */
  private openUntil = 0;
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
    return this.state === 'open' && this.canAcquire(now) ? 'half-open' : this.state;
  }

  canAcquire(now: number): boolean {
    return this.state === 'closed' || (this.state === 'open' && now >= Math.max(this.openUntil, this.pausedUntil));
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
    // The open time has passed: this call is the probe.
    if (this.state === 'open') this.enter('half-open');
    return this.permit;
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
    if (permit === this.permit) {
      if (this.state === 'half-open') this.endProbe(result, now);
      else if (result !== 'none') this.count(failure, now);
    }
    // Without failures that have opened the circuit, the pause alone keeps it open.
    if (pauseMs !== undefined && this.state === 'closed') this.enter('open');
  }

  private count(failure: UpstreamFailure | undefined, now: number): void {
    this.results.add(now);
    if (failure !== undefined) this.failures.add(now);
    const total = this.results.total(now);
    if (total >= MINIMUM_RESULTS && this.failures.total(now) >= FAILURE_RATIO * total) this.open(now);
  }

  private endProbe(result: AttemptResult, now: number): void {
    // A pause takes the place of the open time where no failures have opened the circuit.
    const isFailure = result instanceof UpstreamFailure && (result.pauseMs === undefined || this.openings > 0);
    // During a pause, which another call was asked for while the probe was made, the circuit stays open.
    if (result === 'success' && now >= this.pausedUntil) this.close();
    else if (isFailure) this.open(now);
    else this.enter('open');
  }

  private enter(state: CircuitState): void {
    this.state = state;
    this.permit += 1;
  }

  private close(): void {
    this.enter('closed');
    this.openings = 0;
    this.results = new RollingCount();
    this.failures = new RollingCount();
  }

  private open(now: number): void {
    const nominal = Math.min(MAX_OPEN_MS, this.openMs * 2 ** this.openings);
    this.openUntil = now + nominal * (1 + JITTER * (2 * Math.random() - 1));
    this.openings += 1;
    this.enter('open');
  }

  private circuitOpen(now: number): UpstreamFailure {
    const left = Math.max(this.openUntil, this.pausedUntil) - now;
    const retryAfterMs = left > 0 ? left : undefined;
    const { what = '', status } = this.last ?? {};
    return new UpstreamFailure('circuit-open', `circuit open after: ${what}`, { retryAfterMs, status });
  }
}
