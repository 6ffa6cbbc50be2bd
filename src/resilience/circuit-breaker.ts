import { RollingCount } from './rolling-count';
import { UpstreamFailure } from './upstream-failure';

/** Results are counted for this long. */
const WINDOW_MS = 10_000;
/** The circuit opens where the window has this many results, and this share of them are failures. */
const MINIMUM_RESULTS = 20;
const FAILURE_RATIO = 0.5;
const MAX_OPEN_MS = 60_000;
/** Each open time varies by up to this share, so that many instances do not probe at once. */
const JITTER = 0.2;

export type CircuitState = 'closed' | 'open' | 'half-open';

/** What an attempt shows about the health of the upstream; `none`: nothing. */
export type AttemptResult = 'success' | 'failure' | 'none';

/** The right to make one attempt: of the period in which the circuit is closed, or as its probe. */
export type Permit = object;

interface Window {
  readonly results: RollingCount;
  readonly failures: RollingCount;
}

/**
 * Stops calls to an upstream that mostly fails.
 *
 * closed → open: the window has enough results and enough of them are failures. open → half-open: the first call after the
 * open time is the probe, and no other call is made meanwhile. half-open → closed: it succeeds; half-open → open: it fails,
 * for twice the time, or says nothing, and then the next call is the probe. A result of an earlier period is ignored.
 * There is no timer: `now` is in milliseconds on a monotonic clock.
 */
export class CircuitBreaker {
  /** The results of the period in which the circuit is closed; `undefined` while it is not. */
  private window: Window | undefined;
  private probe: Permit | undefined;
  private openUntil = 0;
  /** How often it opened since it was last closed. */
  private openings = 0;

  /** @param openMs how long it is open at first; doubled while probes fail, up to a minute */
  constructor(private readonly openMs: number) {
    this.close();
  }

  get state(): CircuitState {
    if (this.window !== undefined) return 'closed';
    return this.probe === undefined ? 'open' : 'half-open';
  }

  /** Whether {@link acquire} would return a permit now. */
  canAcquire(now: number): boolean {
    return this.window !== undefined || (this.probe === undefined && now >= this.openUntil);
  }

  /** @throws UpstreamFailure `circuit-open`, with the time until the next probe where that is known */
  throwIfRefusing(now: number): void {
    if (this.canAcquire(now)) return;
    const left = this.openUntil - now;
    throw new UpstreamFailure('circuit-open', 'The circuit is open', { retryAfterMs: left > 0 ? left : undefined });
  }

  /** @throws UpstreamFailure `circuit-open` */
  acquire(now: number): Permit {
    this.throwIfRefusing(now);
    return this.window ?? (this.probe = {});
  }

  /** Returns a permit, once, with the result of the attempt. */
  settle(permit: Permit, result: AttemptResult, now: number): void {
    if (permit === this.probe) {
      this.probe = undefined;
      if (result === 'success') this.close();
      else if (result === 'failure') this.open(now);
    } else if (permit === this.window && result !== 'none') {
      this.count(this.window, result, now);
    }
  }

  private count({ results, failures }: Window, result: AttemptResult, now: number): void {
    results.add(now);
    if (result === 'failure') failures.add(now);
    const total = results.total(now);
    if (total >= MINIMUM_RESULTS && failures.total(now) >= FAILURE_RATIO * total) this.open(now);
  }

  private open(now: number): void {
    const nominal = Math.min(MAX_OPEN_MS, this.openMs * 2 ** this.openings);
    this.openings += 1;
    this.openUntil = now + nominal * (1 + JITTER * (2 * Math.random() - 1));
    this.window = undefined;
  }

  private close(): void {
    this.openings = 0;
    this.window = { results: new RollingCount(WINDOW_MS), failures: new RollingCount(WINDOW_MS) };
  }
}
