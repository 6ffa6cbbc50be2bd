import { RollingCount } from './rolling-count';

export interface RetryBudgetSettings {
  /** Retries allowed per call. */
  readonly ratio: number;
  readonly windowMs: number;
  /** Retries allowed in any window, however few the calls. */
  readonly minimum: number;
}

/**
 * Keeps retries from multiplying the load on an external system that is down: over a window there are at most
 * `ratio` retries per call, so that with every call failing it sees `1 + ratio` times the traffic.
 */
export class RetryBudget {
  private readonly calls: RollingCount;
  private readonly retries: RollingCount;

  constructor(private readonly settings: RetryBudgetSettings) {
    this.calls = new RollingCount(settings.windowMs);
    this.retries = new RollingCount(settings.windowMs);
  }

  /** Counts a call whose first attempt went out. */
  countCall(now: number): void {
    this.calls.add(now);
  }

  /** Spends one retry if there is one left. */
  tryTake(now: number): boolean {
    const allowed = Math.max(this.settings.minimum, this.settings.ratio * this.calls.total(now));
    if (this.retries.total(now) + 1 > allowed) {
      return false;
    }
    this.retries.add(now);
    return true;
  }
}
