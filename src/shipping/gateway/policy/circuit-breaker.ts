import { ExternalSystemFailure } from '../../model/external-system-failure';
import { RollingCount } from './rolling-count';

export interface BreakerSettings {
  readonly windowMs: number;
  /** Results a window must hold before the circuit may open. */
  readonly minimumCalls: number;
  /** The circuit opens when at least this share of the window failed. */
  readonly failureRatio: number;
  /** How long it stays open at first; each time the probes fail, twice as long as before. */
  readonly openMs: number;
  readonly maxOpenMs: number;
  /** Each open time is off by up to this share, so that many instances do not come back at once. */
  readonly jitter: number;
  /** Calls let through at once while half-open, and successes in a row that close the circuit. */
  readonly maxProbes: number;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** What an attempt says about the external system; `none`: nothing. */
export type Verdict = 'success' | 'failure' | 'none';

/** A stretch of time in one state. */
interface Period {
  readonly state: CircuitState;
}

/** The right to make one attempt, given back by {@link CircuitBreaker.settle}: the period it was given in. */
export type Permit = Period;

/**
 * Stops calling an external system that mostly fails.
 *
 * closed → open: the window holds enough results and enough of them failed. open → half-open: the first call after the
 * open time. half-open → closed: `maxProbes` successes; half-open → open: one failure. A result that belongs to an
 * earlier period changes nothing. There is no timer: `now` is milliseconds on a clock that never goes back.
 */
export class CircuitBreaker {
  private period: Period = { state: 'closed' };
  private openUntil = 0;
  private openings = 0;
  /** In flight, those of earlier half-open periods included. */
  private probes = 0;
  private successes = 0;
  private calls: RollingCount;
  private failures: RollingCount;

  constructor(
    private readonly settings: BreakerSettings,
    private readonly changed: (state: CircuitState) => void,
    private readonly random: () => number,
  ) {
    this.calls = new RollingCount(settings.windowMs);
    this.failures = new RollingCount(settings.windowMs);
  }

  get state(): CircuitState {
    return this.period.state;
  }

  /** Whether {@link acquire} would give a permit now. */
  admits(now: number): boolean {
    return this.state === 'closed' || (now >= this.openUntil && this.probes < this.settings.maxProbes);
  }

  /** @throws ExternalSystemFailure `circuit-open`. */
  acquire(now: number): Permit {
    if (!this.admits(now)) {
      throw this.refusal(now);
    }
    if (this.state === 'open') {
      this.enter('half-open');
    }
    if (this.state === 'half-open') {
      this.probes += 1;
    }
    return this.period;
  }

  /** Whether the period a permit was given in still runs. */
  holds(permit: Permit): boolean {
    return permit === this.period;
  }

  /** Gives a permit back, once, with what the attempt showed. */
  settle(permit: Permit, verdict: Verdict, now: number): void {
    if (permit.state === 'half-open') {
      this.probes -= 1;
    }
    if (verdict === 'none' || !this.holds(permit)) {
      return;
    }
    if (this.state === 'half-open') {
      this.settleProbe(verdict, now);
    } else {
      this.count(verdict, now);
    }
  }

  /** The failure of a call that is not let through, with the time until probes are, where the circuit is open. */
  refusal(now: number): ExternalSystemFailure {
    const left = this.openUntil - now;
    return new ExternalSystemFailure('circuit-open', 'the circuit is open', left > 0 ? left : undefined);
  }

  private settleProbe(verdict: Verdict, now: number): void {
    if (verdict === 'failure') {
      this.open(now);
      return;
    }
    this.successes += 1;
    if (this.successes >= this.settings.maxProbes) {
      this.openings = 0;
      this.enter('closed');
    }
  }

  private count(verdict: Verdict, now: number): void {
    this.calls.add(now);
    if (verdict === 'failure') {
      this.failures.add(now);
    }
    const calls = this.calls.total(now);
    if (calls >= this.settings.minimumCalls && this.failures.total(now) >= this.settings.failureRatio * calls) {
      this.open(now);
    }
  }

  private open(now: number): void {
    const { openMs, maxOpenMs, jitter } = this.settings;
    const nominal = Math.min(maxOpenMs, openMs * 2 ** this.openings);
    this.openings += 1;
    this.openUntil = now + nominal * (1 + jitter * (2 * this.random() - 1));
    this.enter('open');
  }

  private enter(state: CircuitState): void {
    this.period = { state };
    this.successes = 0;
    this.calls = new RollingCount(this.settings.windowMs);
    this.failures = new RollingCount(this.settings.windowMs);
    this.changed(state);
  }
}
