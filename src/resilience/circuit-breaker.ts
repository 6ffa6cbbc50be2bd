import { RollingCount } from './rolling-count';
import { UpstreamFailure } from './upstream-failure';

/** When a circuit opens and how it closes again. Times are in milliseconds. */
export interface BreakerSettings {
  readonly windowMs: number;
  /** Results that a window must have before the circuit may open. */
  readonly minimumCalls: number;
  /** The circuit opens when at least this share of the results in the window are failures. */
  readonly failureRatio: number;
  /** How long the circuit stays open at first; doubled while every probe fails. */
  readonly openMs: number;
  readonly maxOpenMs: number;
  /** Each open time varies by up to this share, so that many instances do not probe at once. */
  readonly jitter: number;
  /** Concurrent calls while half-open, and consecutive successes that close the circuit. */
  readonly maxProbes: number;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** What an attempt shows about the health of the upstream; `none`: nothing. */
export type AttemptResult = 'success' | 'failure' | 'none';

/** A period of time in one state. */
interface Period {
  readonly state: CircuitState;
}

/** The right to make one attempt, acquired from a {@link CircuitBreaker} and given back by `settle`: the period in which it was acquired. */
export type Permit = Period;

/**
 * Stops calls to an upstream that mostly fails.
 *
 * closed → open: the window has enough results and enough of them are failures. open → half-open: the first call after
 * the open time. half-open → closed: `maxProbes` successes; half-open → open: one failure, for twice the time unless a
 * probe succeeded or none was in flight for twice the time. A result of an earlier period is ignored. There is no timer:
 * `now` is in milliseconds on a monotonic clock.
 */
export class CircuitBreaker {
  private period: Period = { state: 'closed' };
  private openUntil = 0;
  /** How long the circuit is, or was, open, and how long it is next, without jitter. */
  private openMs = 0;
  private nextOpenMs: number;
  /** From then on nothing was tried for so long that the next open time is the first again. */
  private idleAt = 0;
  /** In flight, those of earlier half-open periods included. */
  private probes = 0;
  private successes = 0;
  private calls: RollingCount;
  private failures: RollingCount;

  constructor(private readonly settings: BreakerSettings) {
    this.nextOpenMs = settings.openMs;
    this.calls = new RollingCount(settings.windowMs);
    this.failures = new RollingCount(settings.windowMs);
  }

  get state(): CircuitState {
    return this.period.state;
  }

  /** Whether {@link acquire} would return a permit now. */
  canAcquire(now: number): boolean {
    return this.state === 'closed' || (now >= this.openUntil && this.probes < this.settings.maxProbes);
  }

  /** @throws UpstreamFailure `circuit-open`. */
  acquire(now: number): Permit {
    if (!this.canAcquire(now)) throw this.refusal(now);
    if (this.state === 'open') {
      this.transitionTo('half-open');
    }
    if (this.state === 'half-open') {
      if (this.probes === 0 && now >= this.idleAt) {
        this.nextOpenMs = this.settings.openMs;
      }
      this.probes += 1;
    }
    return this.period;
  }

  /** Whether the circuit is still in the period in which the permit was acquired. */
  isCurrent(permit: Permit): boolean {
    return permit === this.period;
  }

  /** Returns a permit, once, with the result of the attempt. */
  settle(permit: Permit, result: AttemptResult, now: number): void {
    if (permit.state === 'half-open') {
      this.probes -= 1;
      this.idleAt = now + 2 * this.openMs;
    }
    if (result === 'none' || !this.isCurrent(permit)) return;
    if (this.state === 'half-open') {
      this.settleProbe(result, now);
    } else {
      this.count(result, now);
    }
  }

  /** The failure of a refused call, with the time until the first probe where the circuit is open. */
  refusal(now: number): UpstreamFailure {
    const left = this.openUntil - now;
    return new UpstreamFailure('circuit-open', 'the circuit is open', left > 0 ? left : undefined);
  }

  private settleProbe(result: AttemptResult, now: number): void {
    if (result === 'failure') {
      this.open(now);
      return;
    }
    this.nextOpenMs = this.settings.openMs;
    this.successes += 1;
    if (this.successes >= this.settings.maxProbes) {
      this.transitionTo('closed');
    }
  }

  private count(result: AttemptResult, now: number): void {
    this.calls.add(now);
    if (result === 'failure') {
      this.failures.add(now);
    }
    const calls = this.calls.total(now);
    if (calls >= this.settings.minimumCalls && this.failures.total(now) >= this.settings.failureRatio * calls) {
      this.open(now);
    }
  }

  private open(now: number): void {
    const { maxOpenMs, jitter } = this.settings;
    const nominal = Math.min(maxOpenMs, this.nextOpenMs);
    this.nextOpenMs = 2 * nominal;
    this.openMs = nominal * (1 + jitter * (2 * Math.random() - 1));
    this.openUntil = now + this.openMs;
    this.idleAt = now + 2 * this.openMs;
    this.transitionTo('open');
  }

  private transitionTo(state: CircuitState): void {
    this.period = { state };
    this.successes = 0;
    this.calls = new RollingCount(this.settings.windowMs);
    this.failures = new RollingCount(this.settings.windowMs);
  }
}
