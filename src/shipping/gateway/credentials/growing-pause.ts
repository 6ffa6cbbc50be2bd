const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
/** A `Retry-After` is honoured up to this. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * Pauses that double from 1 s to 60 s, each shortened by up to a half at random, so that replicas do not act at the same
 * moment. Times are in milliseconds on the clock of the caller.
 */
export class GrowingPause {
  private count = 0;
  private endsAt = -Infinity;

  constructor(private readonly random: () => number) {}

  /** How much of the pause is left; 0: it is over. */
  left(now: number): number {
    return Math.max(0, this.endsAt - now);
  }

  /** @param retryAfterMs the pause is at least this long, up to five minutes */
  start(now: number, retryAfterMs = 0): void {
    const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.count);
    this.count += 1;
    this.endsAt = now + Math.max(Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS), fullMs * (1 - this.random() / 2));
  }

  /** The next pause is a short one, unless the last one ended less than the longest pause ago. */
  resetWhenQuiet(now: number): void {
    if (now - this.endsAt >= LONGEST_MS) this.count = 0;
  }

  /** Ends the pause; the next one is a short one. */
  reset(): void {
    this.count = 0;
    this.endsAt = -Infinity;
  }
}
