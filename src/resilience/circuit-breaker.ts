import { UpstreamFailure } from './upstream-failure';

const MINIMUM_RESULTS = 20;
const FAILURE_RATIO = 0.5;
const MAX_OPEN_MS = 60_000;
/** Open periods differ by up to this share in both directions, so that many instances do not probe at the same time. */
const JITTER = 0.2;

export type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * What the result of an attempt says about the health of the upstream: a failure, or `none`, which counts neither way.
 */
export type AttemptResult = 'success' | 'none' | UpstreamFailure;

/**
 * The permission that `acquire` gives to a call, and that the call returns to `settle` with its result. It is the
 * window of the closed circuit, or an object for one probe. Where the circuit has changed its state meanwhile, the
 * permit is neither the current window nor the current probe, and the result is ignored.
 */
export type Permit = object;

/**
 * Stops calls to an upstream that mostly fails. After the open time one call is the probe: its success closes the
 * circuit, its failure doubles the open time, and where its result counts neither way, the next call is the probe.
 * One failure that asks for a pause opens the circuit for that pause, which neither doubles the open time nor is
 * shortened by jitter (D21). `now` is the time in milliseconds of a monotonic clock.
 */
export class CircuitBreaker {
  /** The results of a closed circuit; `undefined` while it is open or half-open. */
  private window: { readonly results: RollingCount; readonly failures: RollingCount } | undefined;
  private probe: Permit | undefined;
  /** The end of the open time, which lies in the past while the circuit is closed. */
  private openUntil = 0;
  /** The end of the newest pause that the upstream has asked for (D21). */
  private pausedUntil = 0;
  /** How often the circuit has opened since it was last closed; each time doubles the open period. */
  private openings = 0;
  /**
   * The message of the newest failure. The error of a call that the open circuit refuses contains it, because its log
   * line would show no cause otherwise.
   */
  private lastFailure = '';

  constructor(private readonly openMs: number) {
    this.close();
  }

  get state(): CircuitState {
    if (this.window !== undefined) return 'closed';
    return this.probe === undefined ? 'open' : 'half-open';
  }

  canAcquire(now: number): boolean {
    return this.probe === undefined && now >= this.openUntil;
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  throwIfRefusing(now: number): void {
    if (!this.canAcquire(now)) throw this.refusal(now);
  }

  /**
   * For an attempt of several requests, before each: a pause that another call was asked for meanwhile holds for it, too.
   *
   * @throws UpstreamFailure `circuit-open` during a pause
   */
  throwIfPaused(now: number): void {
    if (now < this.pausedUntil) throw this.refusal(now);
  }

  /** @throws UpstreamFailure `circuit-open` while the circuit refuses calls */
  acquire(now: number): Permit {
    this.throwIfRefusing(now);
    return this.window ?? (this.probe = {});
  }

  /**
   * Records the result of a call. It is ignored where the circuit has changed its state since `acquire` gave the
   * permit, but for a pause that it asks for: the upstream counts the calls that it gets, not the states of a circuit.
   */
  settle(permit: Permit, result: AttemptResult, now: number): void {
    const isFailure = result instanceof UpstreamFailure;
    if (isFailure) this.lastFailure = result.message;
    const pauseMs = isFailure ? result.pauseMs : undefined;
    if (permit === this.probe) {
      this.probe = undefined;
      // During a pause, which another call was asked for while this one was made, the circuit stays open.
      if (result === 'success' && now >= this.pausedUntil) this.close();
      // The pause takes the place of the open time where no failures have opened the circuit.
      else if (isFailure && (pauseMs === undefined || this.openings > 0)) this.open(now);
    } else if (permit === this.window && result !== 'none') {
      const { results, failures } = this.window;
      results.add(now);
      if (isFailure) failures.add(now);
      const total = results.total(now);
      if (total >= MINIMUM_RESULTS && failures.total(now) >= FAILURE_RATIO * total) this.open(now);
    }
    if (pauseMs !== undefined) this.pause(now + pauseMs);
  }

  private refusal(now: number): UpstreamFailure {
    const left = this.openUntil - now;
    const retryAfterMs = left > 0 ? left : undefined;
    return new UpstreamFailure('circuit-open', `circuit open after: ${this.lastFailure}`, { retryAfterMs });
  }

  private pause(until: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, until);
    this.openUntil = Math.max(this.openUntil, this.pausedUntil);
    this.window = undefined;
  }

  private open(now: number): void {
    const nominal = Math.min(MAX_OPEN_MS, this.openMs * 2 ** this.openings);
    this.openings += 1;
    this.openUntil = Math.max(this.pausedUntil, now + nominal * (1 + JITTER * (2 * Math.random() - 1)));
    this.window = undefined;
  }

  private close(): void {
    this.openings = 0;
    this.window = { results: new RollingCount(), failures: new RollingCount() };
  }
}

const BUCKETS = 10;
const BUCKET_MS = 1000;

/**
 * Counts the events of the last ten seconds, with a precision of one second, in constant memory. Times are in
 * milliseconds.
 */
export class RollingCount {
  private readonly counts: number[] = [];
  private newest = 0;

  add(now: number): void {
    this.expire(now);
    const index = this.newest % BUCKETS;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  total(now: number): number {
    this.expire(now);
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  private expire(now: number): void {
    const current = Math.floor(now / BUCKET_MS);
    const first = Math.max(this.newest, current - BUCKETS) + 1;
    for (let bucket = first; bucket <= current; bucket += 1) this.counts[bucket % BUCKETS] = 0;
    this.newest = current;
  }
}
